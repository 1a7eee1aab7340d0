// Queries per second of a binary model of KenLM on a text, as crates/phrase-based/ngram/examples/queries.rs measures ours: the same
// queries, in order and in the same random order, seconds of this thread, the best of five rounds.
//
//   c++ -O3 -march=native -DNDEBUG -DKENLM_MAX_ORDER=6 -I kenlm benches/peers/kenlm_queries.cc \
//       -o kenlm_queries -L kenlm/build/lib -lkenlm -lkenlm_util -lz -lbz2 -llzma -lboost_system -lboost_thread
//   ./kenlm_queries lm.trie text.en
#include "lm/model.hh"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using lm::WordIndex;
using lm::ngram::State;

static double Seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

template <class Round> static void Report(const char *name, size_t queries, Round round) {
  double best = 1e9, sum = 0;
  for (int i = 0; i < 5; ++i) {
    double start = Seconds();
    sum = round();
    best = std::min(best, Seconds() - start);
  }
  std::printf("%-9s %.2f M/s  sum %.3f\n", name, queries / best / 1e6, sum);
}

template <class Model> static void Run(const char *file, const char *text) {
  lm::ngram::Config config;
  config.load_method = util::POPULATE_OR_READ;
  Model model(file, config);
  std::vector<std::vector<WordIndex>> sentences;
  std::ifstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    sentences.emplace_back();
    for (std::string word; words >> word;) sentences.back().push_back(model.GetVocabulary().Index(word));
    sentences.back().push_back(model.GetVocabulary().EndSentence());
  }
  std::vector<std::pair<State, WordIndex>> queries;
  for (const auto &sentence : sentences) {
    State state = model.BeginSentenceState(), next;
    for (WordIndex word : sentence) {
      queries.emplace_back(state, word);
      model.FullScore(state, word, next);
      state = next;
    }
  }
  Report("in order", queries.size(), [&] {
    double sum = 0;
    for (const auto &sentence : sentences) {
      State state = model.BeginSentenceState(), next;
      for (WordIndex word : sentence) {
        sum += model.FullScore(state, word, next).prob;
        state = next;
      }
    }
    return sum;
  });
  uint64_t random = 1;
  for (size_t i = queries.size() - 1; i > 0; --i) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    std::swap(queries[i], queries[(random >> 33) % (i + 1)]);
  }
  Report("random", queries.size(), [&] {
    double sum = 0;
    State next;
    for (const auto &query : queries) sum += model.FullScore(query.first, query.second, next).prob;
    return sum;
  });
}

int main(int argc, char **argv) {
  lm::ngram::ModelType type;
  if (argc != 3 || !lm::ngram::RecognizeBinary(argv[1], type)) {
    std::fprintf(stderr, "usage: kenlm_queries BINARY_MODEL TEXT\n");
    return 2;
  }
  switch (type) {
    case lm::ngram::PROBING: Run<lm::ngram::ProbingModel>(argv[1], argv[2]); return 0;
    case lm::ngram::TRIE: Run<lm::ngram::TrieModel>(argv[1], argv[2]); return 0;
    case lm::ngram::QUANT_TRIE: Run<lm::ngram::QuantTrieModel>(argv[1], argv[2]); return 0;
    default: return 1;
  }
}
