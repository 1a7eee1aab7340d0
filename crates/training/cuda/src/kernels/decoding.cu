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

// A block per row: y ← scale · (x - mean) / √(variance + ε) + bias. y may be x.
KERNEL(normalise_rows)(const float *x, const float *scale, const float *bias, float epsilon, unsigned centred, float *y,
                       unsigned cols) {
    x += (u64)blockIdx.x * cols, y += (u64)blockIdx.x * cols;
    float mean = row_mean(x, cols, centred);
    float inverse = row_inverse(x, cols, mean, epsilon);
    FOR_BLOCK(c, 0, cols) y[c] = scale[c] * ((x[c] - mean) * inverse) + (bias ? bias[c] : 0.0f);
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
#define LANES 32 // threads of a head, and the words of which they have the weights at a time
#define TEAMS 8  // heads of a block at a time, at most

// What a team of threads knows of the words that it adds.
struct Team {
    float weights[LANES];
    unsigned lines[LANES];
};

// factor · q · k, in the order of the columns.
__device__ static float scaled_product(const float *q, const float *key, unsigned dim, float factor) {
    float dot = 0;
    unsigned c = 0;
    if (((u64)q | (u64)key) % 16 == 0)
        UNROLL_BY_4 for (; c + 4 <= dim; c += 4) {
            float4 a = *(const float4 *)(q + c), b = *(const float4 *)(key + c);
            dot = MULTIPLY_ADD(a.x, b.x, dot), dot = MULTIPLY_ADD(a.y, b.y, dot);
            dot = MULTIPLY_ADD(a.z, b.z, dot), dot = MULTIPLY_ADD(a.w, b.w, dot);
        }
    for (; c < dim; c++) dot = MULTIPLY_ADD(q[c], key[c], dot);
    return factor * dot;
}

// `AttendArguments` of ../backend.rs.
struct Attend {
    const float *q;
    unsigned q_cols;
    struct Memory memory;
    const struct Seen *seen;
    const unsigned *lists; // the lines of each row's words, or nothing
    unsigned list_cols;
    const struct NewRow *rows; // or nothing
    unsigned first_values;
    unsigned heads;
    unsigned dim;
    float factor;
    float *y;
    float *weights; // or nothing
};

// A block per row, a team of LANES threads for each head: y_h = Σ_j softmax(factor · q_h · k_jh)_j v_jh, in one pass over
// the words (the online softmax of Milakov and Gimelshein 2018), LANES of them at a time in the order of the row. A
// thread has the score of one of these words, and then `columns` columns of the sum; `columns` is a constant.
__device__ static INLINE void attend_row(const unsigned columns, struct Attend to) {
    __shared__ struct Team teams[TEAMS];
    struct Seen seen = to.seen[blockIdx.x];
    const unsigned *list = to.lists ? to.lists + (u64)blockIdx.x * to.list_cols : 0;
    const float *lines = to.memory.by_seen ? to.memory.by_seen[seen.memory] : to.memory.lines;
    unsigned lane = threadIdx.x % LANES, teams_here = blockDim.x / LANES;
    struct Team *team = teams + threadIdx.x / LANES;
    // All teams take the same steps, so that all threads meet at the barriers.
    for (unsigned first = 0; first < to.heads; first += teams_here) {
        unsigned head = first + threadIdx.x / LANES, is_head = head < to.heads, at = head * to.dim;
        const float *q = to.q + (u64)blockIdx.x * to.q_cols + at;
        float *kept = head == 0 && to.weights && seen.weights != NO_ID ? to.weights + seen.weights : 0;
        float sums[WIDEST_HEAD / LANES], total = 0, max = LEAST;
        UNROLL for (unsigned i = 0; i < columns; i++) sums[i] = 0;
        for (unsigned start = 0; start < seen.count; start += LANES) {
            unsigned here = seen.count - start < LANES ? seen.count - start : LANES;
            float score = LEAST;
            if (is_head && lane < here) {
                unsigned line = list ? list[start + lane] : seen.first + start + lane;
                const float *key = lines + (u64)line * to.memory.cols + to.memory.keys + at;
                team->lines[lane] = line;
                score = scaled_product(q, key, to.dim, to.factor);
                if (kept) kept[start + lane] = score;
            }
            team->weights[lane] = score;
            __syncthreads();
            float before = max;
            UNROLL_BY_4 for (unsigned j = 0; j < here; j++) max = fmaxf(max, team->weights[j]);
            float shrink = expf(before - max);
            __syncthreads();
            team->weights[lane] = expf(score - max);
            __syncthreads();
            total *= shrink;
            UNROLL for (unsigned i = 0; i < columns; i++) sums[i] *= shrink;
            unsigned added = is_head ? here : 0;
            UNROLL_BY_4 for (unsigned j = 0; j < added; j++) {
                float weight = team->weights[j];
                const float *values = lines + (u64)team->lines[j] * to.memory.cols + to.memory.values + at;
                total += weight;
                UNROLL for (unsigned i = 0; i < columns; i++)
                    if (lane + LANES * i < to.dim) sums[i] = MULTIPLY_ADD(weight, values[lane + LANES * i], sums[i]);
            }
            __syncthreads();
        }
        float *y = to.y + (u64)blockIdx.x * to.heads * to.dim + at;
        UNROLL for (unsigned i = 0; i < columns; i++)
            if (is_head && lane + LANES * i < to.dim) y[lane + LANES * i] = sums[i] / total;
        if (kept)
            for (unsigned j = lane; j < seen.count; j += LANES) kept[j] = expf(kept[j] - max) / total;
    }
}

// Whether the row sees nothing but itself and is marked as raw: then y is the row's own values, which q has from column
// `first_values` on.
__device__ static int is_alone(struct Attend to) {
    if (!to.rows || !to.rows[blockIdx.x].is_raw || to.seen[blockIdx.x].count != 1) return 0;
    unsigned cols = to.heads * to.dim;
    const float *values = to.q + (u64)blockIdx.x * to.q_cols + to.first_values;
    FOR_BLOCK(c, 0, cols) to.y[(u64)blockIdx.x * cols + c] = values[c];
    return 1;
}

// For heads of at most 64 columns, and of at most WIDEST_HEAD.
KERNEL(attend_rows)(struct Attend to) {
    if (!is_alone(to)) attend_row(2, to);
}
KERNEL(attend_wide_rows)(struct Attend to) {
    if (!is_alone(to)) attend_row(WIDEST_HEAD / LANES, to);
}

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

// The first of the thread's numbers that stands after `last`.
__device__ static struct Found next_found(const float *x, unsigned n, struct Found last) {
    struct Found best;
    best.value = 0, best.column = NO_ID;
    FOR_BLOCK(c, 0, n) {
        struct Found own;
        own.value = x[c], own.column = c;
        if (own.value >= LEAST && (last.column == NO_ID || precedes(last, own)) && precedes(own, best)) best = own;
    }
    return best;
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
    struct Found own = next_found(x, n, last);
    struct Found first = block_first(own);
    float max = first.column == NO_ID ? 0.0f : first.value, sum = 0;
    FOR_BLOCK(c, 0, n) sum += expf(x[c] - max);
    sum = block_sum(sum);
    if (threadIdx.x == 0) summary[0] = max + logf(sum);
    for (unsigned i = 0; i < k; i++) {
        if (threadIdx.x == 0) {
            summary[1 + 2 * i] = first.value;
            ((unsigned *)summary)[2 + 2 * i] = first.column;
        }
        if (first.column == NO_ID || i + 1 == k) continue;
        // The thread that had the first one looks for its next one.
        if (own.column == first.column) own = next_found(x, n, first);
        first = block_first(own);
    }
}
