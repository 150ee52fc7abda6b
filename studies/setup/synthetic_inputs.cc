// synthetic_inputs.cc: deterministic inputs for the programs of studies, on standard output:
// synthetic_inputs KIND [COUNT]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

// A linear congruential generator: the same numbers everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  unsigned Below(unsigned limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>((state_ >> 33) % limit);
  }

 private:
  std::uint64_t state_;
};

constexpr std::string_view kLetters = "etaoinshrdlucmfwypvbgkjqxz";
constexpr std::string_view kAcids = "ACDEFGHIKLMNPQRSTVWY";

std::vector<std::string> Words(unsigned count) {
  Draw draw(1);
  std::vector<std::string> vocabulary(2000);
  for (std::string& word : vocabulary) {
    const unsigned length = 2 + draw.Below(8);
    while (word.size() < length) {
      const unsigned first = draw.Below(26);
      word += kLetters[std::min(first, draw.Below(26))];
    }
  }
  std::vector<std::string> words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(vocabulary[draw.Below(1 + draw.Below(2000))]);
  return words;
}

// An alignment: one ancestor, changed here and there.
std::vector<std::string> Proteins(unsigned count) {
  Draw draw(3);
  std::vector<unsigned> ancestor(60);
  for (unsigned& acid : ancestor) acid = draw.Below(20);
  std::vector<std::string> proteins(count);
  for (std::string& protein : proteins) {
    for (const unsigned acid : ancestor) protein += kAcids[draw.Below(4) ? acid : draw.Below(20)];
  }
  return proteins;
}

void PrintProtein(char kind, unsigned number, const std::string& protein) {
  std::printf(">%c%03u\n%s\n", kind, number, protein.c_str());
}

void PrintWords(unsigned count) {
  const auto words = Words(count);
  for (unsigned i = 0; i < count; ++i) {
    std::printf("%s%c", words[i].c_str(), i % 10 == 9 || i + 1 == count ? '\n' : ' ');
  }
}

// Some proteins of a family in the format of Stockholm.
void PrintAlignment(unsigned count) {
  std::puts("# STOCKHOLM 1.0");
  const auto family = Proteins(count);
  for (unsigned i = 0; i < count; ++i) std::printf("s%03u %s\n", i, family[i].c_str());
  std::puts("//");
}

void PrintFamily(unsigned count) {
  const auto family = Proteins(count);
  for (unsigned i = 0; i < count; ++i) PrintProtein('s', i, family[i]);
}

// Ten relatives of the family, then three long proteins that are none, and so on.
void PrintMixed(unsigned count) {
  Draw draw(7);
  const auto family = Proteins(count);
  for (unsigned at = 0; at < count; at += 10) {
    for (unsigned i = at; i < std::min(at + 10, count); ++i) PrintProtein('s', i, family[i]);
    for (unsigned i = at; i < at + 3; ++i) {
      std::string stranger(60 + draw.Below(300), ' ');
      for (char& acid : stranger) acid = kAcids[draw.Below(20)];
      PrintProtein('u', i, stranger);
    }
  }
}

void PrintList(unsigned count) {
  std::puts("<list>");
  unsigned id = 0;
  for (const std::string& word : Words(count)) {
    std::printf("<word id=\"%u\">%s</word>\n", id++, word.c_str());
  }
  std::puts("</list>");
}

void PrintEntries(unsigned count) {
  std::puts("<list>");
  unsigned id = 0;
  for (const std::string& word : Words(count)) {
    const std::string backwards(word.rbegin(), word.rend());
    std::printf(
        "<entry id=\"%u\" kind=\"%u\"><word id=\"%u\">%s</word><note>%s &amp; "
        "more</note></entry>\n",
        id, id % 7, id * 3, word.c_str(), backwards.c_str());
    ++id;
  }
  std::puts("</list>");
}

// A random formula of three literals a clause.
void PrintClauses(unsigned count) {
  constexpr unsigned kVariables = 150;
  Draw draw(5);
  std::printf("p cnf %u %u\n", kVariables, count);
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned literal = 0; literal < 3; ++literal) {
      const unsigned variable = 1 + draw.Below(kVariables);
      std::printf("%s%u ", draw.Below(2) ? "" : "-", variable);
    }
    std::puts("0");
  }
}

void PrintFunctions(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    std::printf(
        "int f%u(int *p, int n) { int s = %u; for (int i = 0; i < n; ++i) { if (p[i] > %u) s += "
        "p[i] * %u; else p[i] = s; } return s; }\n",
        i, i, i, i + 3);
  }
}

void PrintQueries(unsigned rows) {
  std::printf(
      "create table t(id integer primary key, a integer, b text);\n"
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < %u)\n"
      "  insert into t select i, i * 7919 %% 100003, 'text ' || (i * 31 %% 500) from n;\n"
      "create index ta on t(a);\n"
      "select b, count(*), sum(a) from t group by b order by 3 desc limit 5;\n"
      "update t set a = a + 1 where id %% 3 = 0;\n"
      "select count(*) from t x join t y on x.a = y.id where x.b > y.b;\n",
      rows);
}

struct Kind {
  std::string_view name;
  void (*print)(unsigned count);
};
constexpr Kind kKinds[] = {
    {"words", PrintWords},     {"alignment", PrintAlignment}, {"family", PrintFamily},
    {"mixed", PrintMixed},     {"list", PrintList},           {"entries", PrintEntries},
    {"clauses", PrintClauses}, {"functions", PrintFunctions}, {"queries", PrintQueries}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    for (const Kind& kind : kKinds) {
      if (kind.name != argv[1]) continue;
      kind.print(static_cast<unsigned>(std::atoi(argv[2])));
      return std::fflush(stdout) == 0 ? 0 : 1;
    }
  }
  std::fputs("usage: synthetic_inputs KIND COUNT; kinds are", stderr);
  for (const Kind& kind : kKinds) std::fprintf(stderr, " %s", std::string(kind.name).c_str());
  std::fputs("\n", stderr);
  return 2;
}
