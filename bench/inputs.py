"""inputs.py: what measured programs work on, deterministic."""


def words(path, size):
    """Text of generated words, deterministic."""
    letters, state, out, length = "etaoinshrdlucmfwypvbgkjqxz", 1, [], 0
    vocabulary = []
    for _ in range(5000):
        word = ""
        for _ in range(3 + state % 8):
            state = (state * 1103515245 + 12345) % 2**31
            word += letters[min(25, (state >> 16) % 40 * (state >> 8) % 26)]
        vocabulary.append(word)
    while length < size:
        state = (state * 1103515245 + 12345) % 2**31
        word = vocabulary[(state >> 8) % (1 + (state >> 16) % 5000)]
        out.append(word)
        length += len(word) + 1
    with open(path, "w") as text:
        text.write(" ".join(out))


def queries(path, rows):
    """SQL that creates, searches and changes a table of so many rows."""
    with open(path, "w") as sql:
        sql.write(f"""create table t(id integer primary key, a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
  insert into t select i, i * 7919 % 100003, 'text ' || (i * 31 % 5000) from n;
create index ta on t(a);
create index tb on t(b);
select b, count(*), sum(a), max(a) from t group by b order by 3 desc limit 5;
update t set a = a + 1 where id % 3 = 0;
select count(*) from t x join t y on x.a = y.id where x.b > y.b;
delete from t where a % 5 = 0;
select sum(length(b)), avg(a) from t;
""")
