"""How a table fits a terminal: which column gives way, and where a word may be broken.

Words stay whole while they can. Where they cannot, a long one is broken behind a path
separator, then behind other punctuation, and only then anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len

_PATH = frozenset("/;|+&,")
_DECIDING = 20
_PUNCTUATION = _PATH | frozenset("-._:=@?")


def fitted(columns: Sequence[Sequence[str]], available: int) -> list[int]:
    """Widths in terminal cells, one a column, that together are at most ``available``.

    ``columns`` holds the texts of each, its head first. No word is broken where that is
    possible. Columns that need no more than their share get one line a cell; what room is
    left goes, step by step, to the column that takes the most lines, and to the heads last.
    """
    natural = [_longest(texts, _whole) for texts in columns]
    if sum(natural) <= available:
        return natural
    needs: list[list[int]] = [
        [_longest(texts, str.split) for texts in columns],
        [_longest(texts, lambda text: _all_pieces(text, _PATH)) for texts in columns],
        [_longest(texts, lambda text: _all_pieces(text, _PUNCTUATION)) for texts in columns],
    ]
    start = next((n for n, need in enumerate(needs) if sum(need) <= available), None)
    if start is None:
        return _shrunk(needs[-1], available)
    widths = needs[start]
    for finer in reversed(needs[:start]):
        widths = _grown(widths, finer, available)
    widths = _settled(widths, [_longest(texts[1:], _whole) for texts in columns], available)
    widths = _levelled(widths, [_tallest(texts[1:]) for texts in columns], available)
    return _levelled(widths, [_tallest(texts) for texts in columns], available)


def _settled(widths: Sequence[int], wanted: Sequence[int], available: int) -> list[int]:
    """Widths where columns that want no more than an even share of the rest have it."""
    settled = list(widths)
    room, rest = available, len(settled)
    for column in sorted(range(len(settled)), key=lambda k: wanted[k]):
        more = max(0, wanted[column] - settled[column])
        if wanted[column] * rest > room or sum(settled) + more > available:
            break
        settled[column] += more
        room -= settled[column]
        rest -= 1
    return settled


def _levelled(widths: Sequence[int], columns: Sequence[Sequence[str]], available: int) -> list[int]:
    """Widths grown while that spares a line of the column that takes the most of them."""
    levelled = list(widths)
    left = available - sum(levelled)
    heights = [_lines(texts, width) for texts, width in zip(columns, levelled, strict=True)]
    open_ = {column for column, height in enumerate(heights) if height > 1}
    while open_:
        column = max(open_, key=lambda k: (heights[k], -k))
        height = heights[column]
        for more in range(1, left + 1):
            fewer = _lines(columns[column], levelled[column] + more)
            if fewer < height:
                levelled[column] += more
                left -= more
                heights[column] = fewer
                break
        if heights[column] == height or heights[column] == 1:
            open_.discard(column)
    return levelled


def _tallest(texts: Sequence[str]) -> list[str]:
    """The longest texts of a column: those that decide how many lines it takes."""
    return sorted(set(texts), key=cell_len)[-_DECIDING:]


def _lines(texts: Sequence[str], width: int) -> int:
    return max((len(broken(text, width)) + 1 for text in texts), default=1)


def broken(text: str, width: int) -> list[int]:
    """Where ``text`` is cut into lines of at most ``width`` cells: offsets into it."""
    cuts: list[int] = []
    used = place = 0
    for word in _words(text):
        length = cell_len(word.rstrip())
        if used and used + length > width and (length <= width or used + 1 >= width):
            cuts.append(place)
            used = 0
        if length <= width:
            used += cell_len(word)
        else:
            used = _break_word(word, place, used, width, cuts)
        place += len(word)
    return cuts


def _break_word(word: str, place: int, used: int, width: int, cuts: list[int]) -> int:
    """Add the cuts of a word that is longer than a line; returns the cells of its last line."""
    for piece in _pieces_within(word, width):
        length = cell_len(piece.rstrip())
        if used and used + length > width:
            cuts.append(place)
            used = 0
        used += cell_len(piece)
        place += len(piece)
    return used


def _pieces_within(word: str, width: int) -> Iterator[str]:
    """The word in pieces no wider than a line, each as long as good places allow."""
    for coarse in _pieces(word, _PATH):
        if cell_len(coarse.rstrip()) <= width:
            yield coarse
            continue
        for fine in _pieces(coarse, _PUNCTUATION):
            yield from (fine,) if cell_len(fine.rstrip()) <= width else _folded(fine, width)


def _folded(text: str, width: int) -> Iterator[str]:
    piece, used = "", 0
    for character in text:
        size = cell_len(character)
        if piece and used + size > width:
            yield piece
            piece, used = "", 0
        piece += character
        used += size
    if piece:
        yield piece


def _words(text: str) -> Iterator[str]:
    """Words with the blanks behind them; blanks at the front go with the first word."""
    start = 0
    for place in range(1, len(text)):
        if text[place - 1] == " " and text[place] != " " and text[start:place].strip():
            yield text[start:place]
            start = place
    if text:
        yield text[start:]


def _pieces(word: str, breaks: frozenset[str]) -> Iterator[str]:
    """Pieces that end behind punctuation; figures such as 12/57 or 1,204.5 stay whole."""
    start = 0
    for place in range(1, len(word)):
        before, after = word[place - 1], word[place]
        if before not in breaks or after in _PUNCTUATION or after == " ":
            continue
        if after.isdigit() and place >= 2 and word[place - 2].isdigit():
            continue
        yield word[start:place]
        start = place
    yield word[start:]


def _all_pieces(text: str, breaks: frozenset[str]) -> list[str]:
    return [piece for word in text.split() for piece in _pieces(word, breaks)]


def _whole(text: str) -> list[str]:
    return [text]


def _longest(texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> int:
    return max((cell_len(piece) for text in texts for piece in split(text)), default=0)


def _grown(widths: Sequence[int], target: Sequence[int], available: int) -> list[int]:
    """Widths grown towards ``target`` while there is room, what lacks least first."""
    grown = list(widths)
    left = available - sum(grown)
    lacking = sorted(range(len(grown)), key=lambda column: target[column] - grown[column])
    for column in lacking:
        more = min(left, max(0, target[column] - grown[column]))
        grown[column] += more
        left -= more
    return grown


def _shrunk(widths: Sequence[int], available: int) -> list[int]:
    """Widths cut down, the widest first, so far that they fit; none below one cell."""
    cut = [max(1, width) for width in widths]
    while sum(cut) > max(available, len(cut)):
        cut[cut.index(max(cut))] -= 1
    return cut
