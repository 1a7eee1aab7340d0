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

#define WORDS 64    // words of which a block has the weights at a time
#define TEAM 8      // threads that compute a product of a query and a key
#define ATTENDING 4 // the most columns of a head for each thread

// A block of 128 threads per row and head: y_h = Σ_j softmax(factor · q_h · k_jh)_j v_jh, in one pass over the words
// (the online softmax of Milakov and Gimelshein 2018), WORDS of them at a time in the order of the row. y has as many
// columns as all heads, q and the lists have `q_cols` and `list_cols`.
//
// `first_values`: for a row that sees nothing but itself and is marked as raw in `rows`, y is the row's own values,
// which q has from this column on.
KERNEL(attend_rows)(const float *q, unsigned q_cols, struct Memory memory, const struct Seen *all, const unsigned *lists,
                    unsigned list_cols, const struct NewRow *rows, unsigned first_values, unsigned heads, unsigned dim,
                    float factor, float *y, float *weights) {
    __shared__ float partial[128], scores[WORDS];
    unsigned r = blockIdx.x / heads, head = blockIdx.x % heads;
    struct Seen seen = all[r];
    q += (u64)r * q_cols, y += ((u64)r * heads + head) * dim;
    if (rows && rows[r].is_raw && seen.count == 1) {
        FOR_BLOCK(c, 0, dim) y[c] = q[first_values + head * dim + c];
        return;
    }
    q += head * dim;
    const float *lines = memory.by_seen ? memory.by_seen[seen.memory] : memory.lines;
    const unsigned *list = lists ? lists + (u64)r * list_cols : 0;
    float *kept = head == 0 && weights && seen.weights != NO_ID ? weights + seen.weights : 0;
    unsigned member = threadIdx.x % TEAM, team = threadIdx.x / TEAM;
    float sums[ATTENDING], total = 0, max = LEAST;
    UNROLL for (unsigned i = 0; i < ATTENDING; i++) sums[i] = 0;
    for (unsigned start = 0; start < seen.count; start += WORDS) {
        unsigned here = seen.count - start < WORDS ? seen.count - start : WORDS;
        for (unsigned pass = 0; pass < here; pass += 128 / TEAM) {
            unsigned j = pass + team;
            float dot = 0;
            if (j < here) {
                unsigned line = list ? list[start + j] : seen.first + start + j;
                const float *key = lines + (u64)line * memory.cols + memory.keys + head * dim;
                for (unsigned c = member; c < dim; c += TEAM) dot = MULTIPLY_ADD(q[c], key[c], dot);
            }
            partial[threadIdx.x] = dot;
            __syncthreads();
            if (member == 0 && j < here) {
                for (unsigned other = 1; other < TEAM; other++) dot += partial[threadIdx.x + other];
                scores[j] = factor * dot;
                if (kept) kept[start + j] = factor * dot;
            }
            __syncthreads();
        }
        float before = max;
        for (unsigned j = 0; j < here; j++) max = fmaxf(max, scores[j]);
        float shrink = expf(before - max);
        __syncthreads();
        if (threadIdx.x < here) scores[threadIdx.x] = expf(scores[threadIdx.x] - max);
        __syncthreads();
        total *= shrink;
        for (unsigned j = 0; j < here; j++) total += scores[j];
        UNROLL for (unsigned i = 0; i < ATTENDING; i++) {
            unsigned c = threadIdx.x + 128 * i;
            if (c >= dim) continue;
            sums[i] *= shrink;
            for (unsigned j = 0; j < here; j++) {
                unsigned line = list ? list[start + j] : seen.first + start + j;
                float value = lines[(u64)line * memory.cols + memory.values + head * dim + c];
                sums[i] = MULTIPLY_ADD(scores[j], value, sums[i]);
            }
        }
        __syncthreads();
    }
    UNROLL for (unsigned i = 0; i < ATTENDING; i++)
        if (threadIdx.x + 128 * i < dim) y[threadIdx.x + 128 * i] = sums[i] / total;
    if (kept) FOR_BLOCK(j, 0, seen.count) kept[j] = expf(kept[j] - max) / total;
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
