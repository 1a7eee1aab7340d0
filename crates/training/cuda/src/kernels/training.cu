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

// The rules of metaphrase-train's optimizer; `clip` is what gradients are multiplied with.

KERNEL(sgd)(float *p, const float *g, u64 n, float rate, float clip) {
    FOR_EACH(i, n) p[i] -= rate * clip * g[i];
}

struct Adam {
    float beta[2];
    float correction[2]; // 1/(1 - βᵗ)
    float epsilon;
    float weight_decay;
};

KERNEL(adam)(float *p, const float *gradient, float *m, float *v, u64 n, float rate, float clip, struct Adam adam) {
    float beta1 = adam.beta[0], beta2 = adam.beta[1];
    FOR_EACH(i, n) {
        float g = clip * gradient[i];
        m[i] = beta1 * m[i] + (1.0f - beta1) * g;
        v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
        float step = m[i] * adam.correction[0] / (sqrtf(v[i] * adam.correction[1]) + adam.epsilon);
        p[i] -= rate * (step + adam.weight_decay * p[i]);
    }
}

struct Adadelta {
    float rho;
    float epsilon;
};

KERNEL(adadelta)(float *p, const float *gradient, float *steps, float *squares, u64 n, float rate, float clip,
                 struct Adadelta adadelta) {
    float rho = adadelta.rho, epsilon = adadelta.epsilon;
    FOR_EACH(i, n) {
        float g = clip * gradient[i];
        squares[i] = rho * squares[i] + (1.0f - rho) * g * g;
        float step = sqrtf((steps[i] + epsilon) / (squares[i] + epsilon)) * g;
        steps[i] = rho * steps[i] + (1.0f - rho) * step * step;
        p[i] -= rate * step;
    }
}

// Cuts weights to ±limit; what is no number stays so.
KERNEL(cut)(float *p, u64 n, float limit) {
    FOR_EACH(i, n) p[i] = p[i] > limit ? limit : p[i] < -limit ? -limit : p[i];
}
