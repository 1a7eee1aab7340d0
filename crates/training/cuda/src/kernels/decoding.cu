// The steps of decoding, a row per hypothesis. A row's numbers depend on the row alone, to the bit: all sums have an
// order that its own length and the sizes of the network decide.

// Row i of y ← factor · row words[i] of the table + row positions[i] of the vectors. Without a word or a position, the
// other one alone.
KERNEL(embed)(const void *table, unsigned is_bf16, const unsigned *words, float factor, const float *vectors,
              const unsigned *positions, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        unsigned word = words[i / cols], col = (unsigned)(i % cols);
        float value = word == NO_ID ? 0.0f : factor * weight(table, (u64)word * cols + col, is_bf16);
        y[i] = vectors ? value + vectors[(u64)positions[i / cols] * cols + col] : value;
    }
}

#define LANES 32 // threads of a team
#define TEAMS 8  // teams of a block, at most

// The sum over the threads of each team, for all of them.
__device__ static float team_sum(float x) {
    __shared__ float partial[TEAMS][LANES];
    const float *own = partial[threadIdx.x / LANES];
    float sum = 0;
    partial[threadIdx.x / LANES][threadIdx.x % LANES] = x;
    __syncthreads();
    UNROLL for (unsigned i = 0; i < LANES; i++) sum += own[i];
    __syncthreads(); // before somebody writes the next one
    return sum;
}

// A team per row: y ← scale · (x - mean) / √(variance + ε) + bias. y may be x.
KERNEL(normalise_rows)(const float *x, const float *scale, const float *bias, float epsilon, unsigned centred, float *y,
                       unsigned cols, unsigned rows) {
    unsigned row = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    unsigned n = row < rows ? cols : 0; // all threads meet at the barriers
    x += (u64)row * cols, y += (u64)row * cols;
    float sum = 0, squares = 0, mean = 0;
    if (centred) {
        UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES) sum += x[c];
        mean = team_sum(sum) / (float)cols;
    }
    UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES) squares = MULTIPLY_ADD(x[c] - mean, x[c] - mean, squares);
    float inverse = 1.0f / sqrtf(team_sum(squares) / (float)cols + epsilon);
    UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES)
        y[c] = scale[c] * ((x[c] - mean) * inverse) + (bias ? bias[c] : 0.0f);
}

// What is new about a row of a step.
struct NewRow {
    unsigned parent;   // row of the step before, if the position is not 0
    unsigned position; // words before it
    unsigned entry;    // where its keys and values are kept
    unsigned is_raw;   // whether these are made of inputs that are not normalised
};

// A block per row: its list of entries is its parent's and its own. `now` points to the first new row.
KERNEL(extend_lists)(const struct NewRow *rows, const unsigned *before, unsigned before_cols, unsigned *now,
                     unsigned now_cols) {
    struct NewRow row = rows[blockIdx.x];
    unsigned *list = now + (u64)blockIdx.x * now_cols;
    FOR_BLOCK(t, 0, row.position) list[t] = before[(u64)row.parent * before_cols + t];
    if (threadIdx.x == 0) list[row.position] = row.entry;
}

// A block per row: the numbers of its entry ← its keys and values, the last `cols` columns of `made`, or of `raw`.
KERNEL(keep_entries)(const struct NewRow *rows, const float *made, unsigned made_cols, const float *raw, float *kept,
                     unsigned cols) {
    struct NewRow row = rows[blockIdx.x];
    const float *from = row.is_raw && raw ? raw + (u64)blockIdx.x * cols
                                          : made + (u64)blockIdx.x * made_cols + made_cols - cols;
    FOR_BLOCK(c, 0, cols) kept[(u64)row.entry * cols + c] = from[c];
}

// The words that a row attends to.
struct Seen {
    unsigned memory;  // which of the memories has them
    unsigned first;   // the first one, if they are neighbours; else the row's list has them
    unsigned count;   // at least 1
    unsigned weights; // where the weights of the first head go, or NO_ID
};

// Keys and values in memory: a line of `cols` columns per word.
struct Memory {
    const float *lines;          // of all rows, or nothing:
    const float *const *by_seen; // those of each row
    unsigned cols;
    unsigned keys; // first column
    unsigned values;
};

#define WIDEST_HEAD 512
#define TOGETHER 4 // rows of the same words that a team attends for, at most

// What a team of threads knows of the words that it adds.
struct Team {
    float weights[TOGETHER][LANES];
    unsigned lines[LANES];
};

// `AttendArguments` of ../arguments.rs.
struct Attend {
    const float *q;
    unsigned q_cols;
    struct Memory memory;
    const struct Seen *seen;
    unsigned rows;
    const unsigned *lists; // the lines of each row's words, or nothing
    unsigned list_cols;
    const struct NewRow *new_rows; // or nothing
    unsigned first_values;
    unsigned heads;
    unsigned dim;
    float factor;
    float *y;
    float *weights; // or nothing
};

// products[i] ← q_i · k for `n` rows of q, at most `most`, each in the order of the columns.
__device__ static INLINE void multiply_key(const unsigned most, const float *q, unsigned q_cols, const float *key, unsigned dim,
                                           unsigned n, float *products) {
    unsigned c = 0;
    UNROLL for (unsigned i = 0; i < most; i++) products[i] = 0;
    if (((u64)q | (u64)key | (u64)(4 * q_cols)) % 16 == 0)
        UNROLL_BY_4 for (; c + 4 <= dim; c += 4) {
            float4 b = *(const float4 *)(key + c);
            UNROLL for (unsigned i = 0; i < most; i++)
                if (i < n) {
                    float4 a = *(const float4 *)(q + (u64)i * q_cols + c);
                    products[i] = MULTIPLY_ADD(a.x, b.x, products[i]), products[i] = MULTIPLY_ADD(a.y, b.y, products[i]);
                    products[i] = MULTIPLY_ADD(a.z, b.z, products[i]), products[i] = MULTIPLY_ADD(a.w, b.w, products[i]);
                }
        }
    for (; c < dim; c++)
        UNROLL for (unsigned i = 0; i < most; i++)
            if (i < n) products[i] = MULTIPLY_ADD(q[(u64)i * q_cols + c], key[c], products[i]);
}

// y_h = Σ_j softmax(factor · q_h · k_jh)_j v_jh for `n` rows from `row` on, at most `most`, which see the same words.
// It takes one pass over the words (the online softmax of Milakov and Gimelshein 2018), LANES of them at a time in
// the order of the row. A team has a head; a thread has the scores of one of these words, and then `columns` columns
// of the sums. `columns` and `most` are constants.
__device__ static INLINE void attend(const unsigned columns, const unsigned most, struct Attend to, unsigned row, unsigned n) {
    __shared__ struct Team teams[TEAMS];
    struct Seen seen = to.seen[row];
    const unsigned *list = to.lists ? to.lists + (u64)row * to.list_cols : 0;
    const float *lines = to.memory.by_seen ? to.memory.by_seen[seen.memory] : to.memory.lines;
    unsigned lane = threadIdx.x % LANES, teams_here = blockDim.x / LANES;
    struct Team *team = teams + threadIdx.x / LANES;
    // All teams take the same steps, so that all threads meet at the barriers.
    for (unsigned first = 0; first < to.heads; first += teams_here) {
        unsigned head = first + threadIdx.x / LANES, is_head = head < to.heads, at = head * to.dim;
        const float *q = to.q + (u64)row * to.q_cols + at;
        int keeps = head == 0 && to.weights;
        float sums[TOGETHER][WIDEST_HEAD / LANES], total[TOGETHER], max[TOGETHER], scores[TOGETHER];
        UNROLL for (unsigned i = 0; i < most; i++) {
            total[i] = 0, max[i] = LEAST;
            UNROLL for (unsigned c = 0; c < columns; c++) sums[i][c] = 0;
        }
        for (unsigned start = 0; start < seen.count; start += LANES) {
            unsigned here = seen.count - start < LANES ? seen.count - start : LANES;
            int has_word = is_head && lane < here;
            if (has_word) {
                unsigned line = list ? list[start + lane] : seen.first + start + lane;
                team->lines[lane] = line;
                multiply_key(most, q, to.q_cols, lines + (u64)line * to.memory.cols + to.memory.keys + at, to.dim, n, scores);
            }
            UNROLL for (unsigned i = 0; i < most; i++) {
                if (i >= n) continue;
                scores[i] = has_word ? to.factor * scores[i] : LEAST;
                unsigned weights = keeps ? to.seen[row + i].weights : NO_ID;
                if (has_word && weights != NO_ID) to.weights[weights + start + lane] = scores[i];
                team->weights[i][lane] = scores[i];
            }
            __syncthreads();
            UNROLL for (unsigned i = 0; i < most; i++) {
                if (i >= n) continue;
                float before = max[i];
                UNROLL_BY_4 for (unsigned j = 0; j < here; j++) max[i] = fmaxf(max[i], team->weights[i][j]);
                float shrink = expf(before - max[i]);
                total[i] *= shrink;
                UNROLL for (unsigned c = 0; c < columns; c++) sums[i][c] *= shrink;
            }
            __syncthreads();
            UNROLL for (unsigned i = 0; i < most; i++)
                if (i < n) team->weights[i][lane] = expf(scores[i] - max[i]);
            __syncthreads();
            unsigned added = is_head ? here : 0;
            UNROLL_BY_4 for (unsigned j = 0; j < added; j++) {
                const float *values = lines + (u64)team->lines[j] * to.memory.cols + to.memory.values + at;
                UNROLL for (unsigned c = 0; c < columns; c++) {
                    float value = lane + LANES * c < to.dim ? values[lane + LANES * c] : 0.0f;
                    UNROLL for (unsigned i = 0; i < most; i++)
                        if (i < n) sums[i][c] = MULTIPLY_ADD(team->weights[i][j], value, sums[i][c]);
                }
                UNROLL for (unsigned i = 0; i < most; i++)
                    if (i < n) total[i] += team->weights[i][j];
            }
            __syncthreads();
        }
        UNROLL for (unsigned i = 0; i < most; i++) {
            if (i >= n) continue;
            float *y = to.y + (u64)(row + i) * to.heads * to.dim + at;
            UNROLL for (unsigned c = 0; c < columns; c++)
                if (is_head && lane + LANES * c < to.dim) y[lane + LANES * c] = sums[i][c] / total[i];
            unsigned weights = keeps ? to.seen[row + i].weights : NO_ID;
            if (weights != NO_ID)
                for (unsigned j = lane; j < seen.count; j += LANES)
                    to.weights[weights + j] = expf(to.weights[weights + j] - max[i]) / total[i];
        }
    }
}

// A block per row, where lists have the words of each row. A row that sees nothing but itself and is marked as raw gets
// its own values, which q has from column `first_values` on.
__device__ static INLINE void attend_one(const unsigned columns, struct Attend to) {
    unsigned row = blockIdx.x, cols = to.heads * to.dim;
    if (to.new_rows && to.new_rows[row].is_raw && to.seen[row].count == 1) {
        const float *values = to.q + (u64)row * to.q_cols + to.first_values;
        FOR_BLOCK(c, 0, cols) to.y[(u64)row * cols + c] = values[c];
        return;
    }
    attend(columns, 1, to, row, 1);
}

// A block per TOGETHER rows, where words are neighbours: rows that see the same ones read them once.
__device__ static INLINE void attend_together(const unsigned columns, struct Attend to) {
    unsigned row = TOGETHER * blockIdx.x, end = row + TOGETHER < to.rows ? row + TOGETHER : to.rows;
    while (row < end) {
        struct Seen seen = to.seen[row];
        unsigned n = 1;
        while (row + n < end && to.seen[row + n].memory == seen.memory && to.seen[row + n].first == seen.first &&
               to.seen[row + n].count == seen.count)
            n++;
        attend(columns, TOGETHER, to, row, n);
        row += n;
    }
}

// For heads of at most 64 columns, and of at most WIDEST_HEAD.
KERNEL(attend_lists)(struct Attend to) { attend_one(2, to); }
KERNEL(attend_wide_lists)(struct Attend to) { attend_one(WIDEST_HEAD / LANES, to); }
KERNEL(attend_rows)(struct Attend to) { attend_together(2, to); }
KERNEL(attend_wide_rows)(struct Attend to) { attend_together(WIDEST_HEAD / LANES, to); }

// A block per row: the cells of an SSRU, c ← f ⊙ c of the parent + (1 - f) ⊙ x, and y ← max(c, 0). `now` points to the
// first new row.
KERNEL(ssru_step)(const struct NewRow *rows, const float *forget, const float *x, const float *before, float *now,
                  float *y, unsigned cols) {
    struct NewRow row = rows[blockIdx.x];
    FOR_BLOCK(c, 0, cols) {
        u64 at = (u64)blockIdx.x * cols + c;
        float old = row.position == 0 ? 0.0f : before[(u64)row.parent * cols + c];
        float cell = forget[at] * old + (1.0f - forget[at]) * x[at];
        now[at] = cell, y[at] = cell > 0 ? cell : 0;
    }
}

// A block per row: the mean of the inputs so far, (t · mean of the parent + x) / (t + 1) at position t.
KERNEL(mean_step)(const struct NewRow *rows, const float *x, const float *before, float *now, float *y, unsigned cols) {
    struct NewRow row = rows[blockIdx.x];
    float t = (float)row.position;
    FOR_BLOCK(c, 0, cols) {
        u64 at = (u64)blockIdx.x * cols + c;
        float mean = x[at];
        if (row.position > 0) mean = (t * before[(u64)row.parent * cols + c] + mean) / (t + 1.0f);
        now[at] = mean, y[at] = mean;
    }
}

// A number and its column.
struct Found {
    float value;
    unsigned column;
};

// Whether a stands before b: the greater one first, among equal ones the first column. NaN and nothing stand last.
__device__ static int precedes(struct Found a, struct Found b) {
    if (a.column == NO_ID) return 0;
    return b.column == NO_ID || a.value > b.value || (a.value == b.value && a.column < b.column);
}

// The first two of the thread's numbers that stand after `last`.
__device__ static void next_found(const float *x, unsigned n, struct Found last, struct Found *found) {
    found[0].value = found[1].value = 0, found[0].column = found[1].column = NO_ID;
    UNROLL_BY_8 FOR_BLOCK(c, 0, n) {
        struct Found own;
        own.value = x[c], own.column = c;
        int is_number = own.value >= LEAST; // not NaN either
        if (!is_number || !(last.column == NO_ID || precedes(last, own))) continue;
        if (precedes(own, found[0])) found[1] = found[0], found[0] = own;
        else if (precedes(own, found[1])) found[1] = own;
    }
}

// The number that stands first over the threads of the block, for all of them.
__device__ static struct Found block_first(struct Found own) {
    __shared__ struct Found all[BLOCK];
    all[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && precedes(all[threadIdx.x + half], all[threadIdx.x]))
            all[threadIdx.x] = all[threadIdx.x + half];
        __syncthreads();
    }
    struct Found first = all[0];
    __syncthreads();
    return first;
}

// A block of BLOCK threads per row of logits: ln Σ eˣ, then the k greatest as pairs of a number and its column, best
// first. A row has `cols` columns in memory, of which counts[row] are logits (all, without counts). If the row has
// fewer than k numbers above the least one, NO_ID is the column of the others.
KERNEL(summarise)(const float *logits, unsigned cols, const unsigned *counts, unsigned k, float *summaries) {
    const float *x = logits + (u64)blockIdx.x * cols;
    unsigned n = counts ? counts[blockIdx.x] : cols;
    float *summary = summaries + (u64)blockIdx.x * (1 + 2 * k);
    struct Found last;
    last.value = 0, last.column = NO_ID;
    struct Found own[2];
    next_found(x, n, last, own);
    struct Found first = block_first(own[0]);
    float max = first.column == NO_ID ? 0.0f : first.value, sum = 0;
    UNROLL_BY_8 FOR_BLOCK(c, 0, n) sum += expf(x[c] - max);
    sum = block_sum(sum);
    if (threadIdx.x == 0) summary[0] = max + logf(sum);
    for (unsigned i = 0; i < k; i++) {
        if (threadIdx.x == 0) {
            summary[1 + 2 * i] = first.value;
            ((unsigned *)summary)[2 + 2 * i] = first.column;
        }
        if (first.column == NO_ID || i + 1 == k) continue;
        // The thread that had the first one has its next one, or looks for two more.
        if (own[0].column == first.column) {
            own[0] = own[1], own[1].column = NO_ID;
            if (own[0].column == NO_ID) next_found(x, n, first, own);
        }
        first = block_first(own[0]);
    }
}
