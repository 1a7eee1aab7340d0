// The steps of recurrent networks in decoding. As in decoding.cu, a row's numbers depend on the row alone, to the bit.

// A team per row: y ← scale · (y - mean) / √(variance + ε) + bias, for `cols` of the columns of a row of y, from
// `first` on.
KERNEL(normalise_columns)(float *y, unsigned y_cols, unsigned first, unsigned cols, const float *scale,
                          const float *bias, float epsilon, unsigned rows) {
    unsigned row = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    unsigned n = row < rows ? cols : 0; // all threads meet at the barriers
    float *x = y + (u64)row * y_cols + first;
    float sum = 0, squares = 0;
    UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES) sum += x[c];
    float mean = team_sum(sum) / (float)cols;
    UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES) squares = MULTIPLY_ADD(x[c] - mean, x[c] - mean, squares);
    float inverse = 1.0f / sqrtf(team_sum(squares) / (float)cols + epsilon);
    UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES) x[c] = scale[c] * ((x[c] - mean) * inverse) + bias[c];
}

// Row i of y ← row ids[i] of the rows of a, then of b.
KERNEL(choose_rows)(const float *a, unsigned a_rows, const float *b, const unsigned *ids, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        unsigned id = ids[i / cols], col = (unsigned)(i % cols);
        y[i] = id < a_rows ? a[(u64)id * cols + col] : b[(u64)(id - a_rows) * cols + col];
    }
}

// Rows of numbers: those that `ids` names, or without ids one after the other. With 0 columns from one row to the next,
// all rows are the first one.
struct Picked {
    const float *numbers; // or nothing
    const unsigned *ids;  // or nothing
    unsigned cols;
};

__device__ static INLINE const float *picked_row(struct Picked from, u64 row) {
    return from.numbers + (from.ids ? from.ids[row] : row) * (u64)from.cols;
}

// The kinds of cells, as `CellKind` counts them.
#define GRU_CELL 0
#define LSTM_CELL 1
#define TANH_CELL 2
#define RELU_CELL 3
#define SRU_CELL 4
#define SSRU_CELL 5
#define PRODUCT_CELL 6 // no cell: a · u

// `CellArguments` of ../arguments.rs.
struct CellStep {
    unsigned kind;
    unsigned dim;
    struct Picked a;      // from the input
    struct Picked u;      // from the state; kinds that see their state only number by number have none
    struct Picked state;  // of a GRU
    struct Picked memory; // of an LSTM, SRU or SSRU
    float *output;        // rows × dim
    float *memory_output; // rows × dim, or nothing
    float *kept;          // the output once more, or nothing, in the rows
    const unsigned *kept_ids; // that these name
};

// A thread per number of the states: the next output and memory of a cell. The state may be the output.
KERNEL(cell_step)(struct CellStep step, u64 n) {
    FOR_EACH(i, n) {
        u64 row = i / step.dim;
        unsigned d = step.dim, k = (unsigned)(i % d);
        const float *a = picked_row(step.a, row) + k;
        const float *u = step.u.numbers ? picked_row(step.u, row) + k : 0;
        float before = step.memory.numbers ? picked_row(step.memory, row)[k] : 0.0f, memory = 0, y = 0;
        switch (step.kind) {
            case GRU_CELL: {
                float reset = sigmoid(a[0] + u[0]), update = sigmoid(a[d] + u[d]);
                float candidate = tanhf(a[2 * d] + reset * u[2 * d]);
                y = (1.0f - update) * candidate + update * picked_row(step.state, row)[k];
                break;
            }
            case LSTM_CELL:
                memory = sigmoid(a[0] + u[0]) * before + sigmoid(a[d] + u[d]) * tanhf(a[2 * d] + u[2 * d]);
                y = sigmoid(a[3 * d] + u[3 * d]) * tanhf(memory);
                break;
            case TANH_CELL: y = tanhf(a[0] + u[0]); break;
            case RELU_CELL: y = fmaxf(a[0] + u[0], 0.0f); break;
            case SRU_CELL: {
                float forget = sigmoid(a[d]), reset = sigmoid(a[2 * d]);
                memory = (1.0f - forget) * a[0] + forget * before;
                y = reset * tanhf(memory) + (1.0f - reset) * a[3 * d];
                break;
            }
            case SSRU_CELL: {
                float forget = sigmoid(a[d]);
                memory = (1.0f - forget) * a[0] + forget * before;
                y = fmaxf(memory, 0.0f);
                break;
            }
            case PRODUCT_CELL: y = a[0] * u[0]; break;
        }
        step.output[i] = y;
        if (step.memory_output) step.memory_output[i] = memory;
        if (step.kept) step.kept[(u64)step.kept_ids[row] * d + k] = y;
    }
}

// `SourceAttentionArguments` of ../arguments.rs.
struct SourceAttention {
    const float *queries; // a row has the queries of all attentions in its first columns
    unsigned query_cols;
    const float *const *memories; // a line per word: keys, then values
    unsigned cols;
    const struct Seen *seen;
    unsigned rows;
    unsigned heads;
    unsigned dim;   // of the keys of one attention
    unsigned width; // of its values
    const float *v; // or nothing
    float *scores;  // of each row: attentions × words, then anything
    unsigned score_cols;
    float *weights; // or nothing
    float *y;
};

// A block of BLOCK threads per row: the weights of the words, softmax of v · tanh(query + key), without v of
// query · key; and the means over all attentions where a row keeps its weights. A team has a word at a time.
KERNEL(weigh_source)(struct SourceAttention to) {
    unsigned lane = threadIdx.x % LANES, teams = blockDim.x / LANES;
    struct Seen seen = to.seen[blockIdx.x];
    const float *lines = to.memories[seen.memory] + (u64)seen.first * to.cols;
    const float *queries = to.queries + (u64)blockIdx.x * to.query_cols;
    float *scores = to.scores + (u64)blockIdx.x * to.score_cols;
    unsigned all = to.heads * seen.count;
    for (unsigned start = 0; start < all; start += teams) {
        unsigned own = start + threadIdx.x / LANES, at = own / seen.count * to.dim;
        unsigned n = own < all ? to.dim : 0; // all threads meet at the barriers
        const float *key = lines + (u64)(own % seen.count) * to.cols + at, *query = queries + at;
        float sum = 0;
        if (to.v)
            UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES) sum = MULTIPLY_ADD(to.v[at + c], tanhf(query[c] + key[c]), sum);
        else
            UNROLL_BY_4 for (unsigned c = lane; c < n; c += LANES) sum = MULTIPLY_ADD(query[c], key[c], sum);
        sum = team_sum(sum);
        if (n > 0 && lane == 0) scores[own] = sum;
    }
    __syncthreads();
    for (unsigned head = 0; head < to.heads; head++) softmax(scores + head * seen.count, seen.count);
    if (seen.weights == NO_ID || !to.weights) return;
    FOR_BLOCK(j, 0, seen.count) {
        float sum = 0;
        for (unsigned head = 0; head < to.heads; head++) sum += scores[head * seen.count + j];
        to.weights[seen.weights + j] = sum / (float)to.heads;
    }
}

// A block for BLOCK columns of TOGETHER rows: y ← Σ over attentions and words of weight · value. Rows that see the same
// words read them once.
KERNEL(weigh_values)(struct SourceAttention to) {
    unsigned chunks = (to.width + BLOCK - 1) / BLOCK, col = blockIdx.x % chunks * BLOCK + threadIdx.x;
    unsigned row = blockIdx.x / chunks * TOGETHER, end = row + TOGETHER < to.rows ? row + TOGETHER : to.rows;
    while (row < end) {
        struct Seen seen = to.seen[row];
        unsigned n = 1;
        while (row + n < end && to.seen[row + n].memory == seen.memory && to.seen[row + n].first == seen.first &&
               to.seen[row + n].count == seen.count)
            n++;
        const float *values = to.memories[seen.memory] + (u64)seen.first * to.cols + to.heads * to.dim + col;
        const float *weights = to.scores + (u64)row * to.score_cols;
        float totals[TOGETHER], sums[TOGETHER];
        UNROLL for (unsigned i = 0; i < TOGETHER; i++) totals[i] = 0;
        unsigned heads = col < to.width ? to.heads : 0;
        for (unsigned head = 0; head < heads; head++) {
            UNROLL for (unsigned i = 0; i < TOGETHER; i++) sums[i] = 0;
            UNROLL_BY_4 for (unsigned j = 0; j < seen.count; j++) {
                float value = values[(u64)j * to.cols + head * to.width];
                UNROLL for (unsigned i = 0; i < TOGETHER; i++)
                    if (i < n)
                        sums[i] = MULTIPLY_ADD(weights[(u64)i * to.score_cols + head * seen.count + j], value, sums[i]);
            }
            UNROLL for (unsigned i = 0; i < TOGETHER; i++) totals[i] += sums[i];
        }
        UNROLL for (unsigned i = 0; i < TOGETHER; i++)
            if (i < n && heads > 0) to.y[(u64)(row + i) * to.width + col] = totals[i];
        row += n;
    }
}
