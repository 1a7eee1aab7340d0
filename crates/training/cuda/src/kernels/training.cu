// The loss, and what updates do to parameters.

// Numbers of a row that a thread reads at once.
#define AT_ONCE 8

// A block per row of logits: ln p of its word, ln Z and the sum of the logits; these become the derivatives by them if
// asked: weight · (p · (1 + 2α ln Z) - (1 - ε) · [v = y] - ε/V). The derivatives also go to `rounded` in bf16, if it is
// there. A row is read twice: for ln Z each thread adds up e^(l - m), where m is the largest of its logits so far.
KERNEL(losses)(float *logits, const unsigned *words, unsigned cols, float smoothing, float self_normalisation,
               float weight, unsigned derive, float *results, unsigned short *rounded) {
    logits += (u64)blockIdx.x * cols;
    float max = LEAST, exponentials = 0, sum = 0;
    for (unsigned first = threadIdx.x; first < cols; first += AT_ONCE * blockDim.x) {
        float some[AT_ONCE], most = max;
        UNROLL for (unsigned i = 0; i < AT_ONCE; i++) {
            unsigned c = first + i * blockDim.x;
            some[i] = c < cols ? logits[c] : LEAST;
            sum += c < cols ? some[i] : 0.0f;
            most = fmaxf(most, some[i]);
        }
        exponentials *= expf(max - most);
        UNROLL for (unsigned i = 0; i < AT_ONCE; i++) exponentials += expf(some[i] - most);
        max = most;
    }
    sum = block_sum(sum);
    float largest = block_max(max);
    float log_z = largest + logf(block_sum(exponentials * expf(max - largest)));
    unsigned word = words[blockIdx.x];
    if (threadIdx.x == 0) {
        results[3 * blockIdx.x] = logits[word] - log_z;
        results[3 * blockIdx.x + 1] = log_z;
        results[3 * blockIdx.x + 2] = sum;
    }
    __syncthreads();
    if (!derive) return;
    if (rounded) rounded += (u64)blockIdx.x * cols;
    float factor = weight * (1.0f + 2.0f * self_normalisation * log_z);
    UNROLL_BY_8
    for (unsigned c = threadIdx.x; c < cols; c += blockDim.x) {
        float d = expf(logits[c] - log_z) * factor - weight * smoothing / cols;
        d = c == word ? d - weight * (1.0f - smoothing) : d;
        logits[c] = d;
        if (rounded) rounded[c] = (unsigned short)to_bf16(d);
    }
}

// Number i of a table of addresses and counts of 64 bits.
__device__ static u64 long_entry(const unsigned *table, u64 i) { return table[2 * i] | (u64)table[2 * i + 1] << 32; }

// A block per piece: Σ x² of it. The table has the address and the count of each piece's numbers.
KERNEL(squares)(const unsigned *pieces, float *sums) {
    const float *x = (const float *)long_entry(pieces, 2 * (u64)blockIdx.x);
    unsigned n = (unsigned)long_entry(pieces, 2 * (u64)blockIdx.x + 1);
    float sum = 0;
    UNROLL_BY_8
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += x[i] * x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// A block per piece: zeros. The table is that of `squares`.
KERNEL(clear_pieces)(const unsigned *pieces) {
    float *x = (float *)long_entry(pieces, 2 * (u64)blockIdx.x);
    unsigned n = (unsigned)long_entry(pieces, 2 * (u64)blockIdx.x + 1);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) x[i] = 0;
}

// The rules of metaphrase-train's optimizer.
#define SGD 0
#define ADAM 1
#define ADADELTA 2

// A piece of a parameter and how it changes.
struct Piece {
    unsigned parameter[2]; // the halves of addresses, some of which are null
    unsigned gradient[2];
    unsigned first[2];     // the mean of gradients, or of squared steps
    unsigned second[2];    // the mean of squared gradients
    unsigned smoothed[2];  // the smoothed parameter
    unsigned rounded[2];   // the parameter in bf16
    unsigned count;        // of numbers
    unsigned rule;
    float rate;
    float clip;            // the factor of gradients
    float cut;             // the largest number of a weight; 0: any
    float kept;            // the share that a smoothed parameter keeps of itself
    float numbers[6];      // `Adam` or `Adadelta` of metaphrase-device
};

// The step of a parameter p in the direction of its gradient.
__device__ static float step_of(const struct Piece *piece, float p, float g, float *first, float *second) {
    const float *of = piece->numbers;
    if (piece->rule == ADAM) { // β₁, β₂, 1/(1 - β₁ᵗ), 1/(1 - β₂ᵗ), ε, weight decay
        *first = of[0] * *first + (1.0f - of[0]) * g;
        *second = of[1] * *second + (1.0f - of[1]) * g * g;
        return *first * of[2] / (sqrtf(*second * of[3]) + of[4]) + of[5] * p;
    }
    if (piece->rule == ADADELTA) { // ρ, ε
        *second = of[0] * *second + (1.0f - of[0]) * g * g;
        float step = sqrtf((*first + of[1]) / (*second + of[1])) * g;
        *first = of[0] * *first + (1.0f - of[0]) * step * step;
        return step;
    }
    return g;
}

// A block per piece. A number that is not finite stays visible.
KERNEL(update)(const struct Piece *pieces) {
    __shared__ struct Piece piece;
    if (threadIdx.x == 0) piece = pieces[blockIdx.x];
    __syncthreads();
    float *parameter = (float *)long_entry(piece.parameter, 0), *first = (float *)long_entry(piece.first, 0);
    float *second = (float *)long_entry(piece.second, 0), *smoothed = (float *)long_entry(piece.smoothed, 0);
    const float *gradient = (const float *)long_entry(piece.gradient, 0);
    unsigned short *rounded = (unsigned short *)long_entry(piece.rounded, 0);
    for (unsigned i = threadIdx.x; i < piece.count; i += blockDim.x) {
        float p = parameter[i], mean = first ? first[i] : 0.0f, squares = second ? second[i] : 0.0f;
        p -= piece.rate * step_of(&piece, p, piece.clip * gradient[i], &mean, &squares);
        if (first) first[i] = mean, second[i] = squares;
        if (piece.cut > 0) p = p > piece.cut ? piece.cut : p < -piece.cut ? -piece.cut : p;
        parameter[i] = p;
        if (smoothed) smoothed[i] = piece.kept * smoothed[i] + (1.0f - piece.kept) * p;
        if (rounded) rounded[i] = (unsigned short)to_bf16(p);
    }
}
