"""inputs.py: what measured programs work on, always the same."""


def words(path, size):
    """Text of made-up words, always the same."""
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
