"""synthetic_inputs.py: deterministic inputs for the programs of studies."""
import os
import subprocess

LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


class Draw:
    """A linear congruential generator: the same numbers with every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


def words(count, seed=1):
    draw = Draw(seed)
    vocabulary = ["".join(LETTERS[min(draw.below(26), draw.below(26))] for _ in range(2 + draw.below(8))) for _ in range(2000)]
    picked = [vocabulary[draw.below(1 + draw.below(2000))] for _ in range(count)]
    return "\n".join(" ".join(picked[at:at + 10]) for at in range(0, count, 10)) + "\n"


def queries(rows):
    return f"""create table t(id integer primary key, a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
  insert into t select i, i * 7919 % 100003, 'text ' || (i * 31 % 500) from n;
create index ta on t(a);
select b, count(*), sum(a) from t group by b order by 3 desc limit 5;
update t set a = a + 1 where id % 3 = 0;
select count(*) from t x join t y on x.a = y.id where x.b > y.b;
"""


def proteins(count, seed=3):
    """An alignment: one ancestor, changed here and there."""
    draw, acids = Draw(seed), "ACDEFGHIKLMNPQRSTVWY"
    ancestor = [draw.below(20) for _ in range(60)]
    return ["".join(acids[one if draw.below(4) else draw.below(20)] for one in ancestor) for _ in range(count)]


def write_files(directory, files):
    os.makedirs(directory, exist_ok=True)
    for name, content in files.items():
        with open(f"{directory}/{name}", "w") as file:
            file.write(content)


def write_family(directory, count):
    """Proteins of one family, and the model of some of them that hmmer2 makes."""
    family = proteins(count)
    write_files(directory, {
        "family.slx": "# STOCKHOLM 1.0\n" + "".join(f"s{i:03} {one}\n" for i, one in enumerate(family[:8])) + "//\n",
        "family.fa": "".join(f">s{i:03}\n{one}\n" for i, one in enumerate(family))})
    subprocess.run(["hmm2build", "-F", "family.raw", "family.slx"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    with open(f"{directory}/family.raw") as raw, open(f"{directory}/family.hmm", "w") as model:
        # Without the date and the command.
        model.writelines(line for line in raw if not line.startswith(("DATE", "COM")))
