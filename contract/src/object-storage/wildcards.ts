/** Whether a text is as a pattern with `*` and `?` says. Linear but for the last `*`: nothing backtracks further. */
export function isLike(text: string, pattern: string): boolean {
  let [at, in_, star, from] = [0, 0, -1, 0]
  while (at < text.length) {
    if (in_ < pattern.length && (pattern[in_] === '?' || (pattern[in_] === text[at] && pattern[in_] !== '*'))) {
      at++
      in_++
    } else if (pattern[in_] === '*') {
      star = in_++
      from = at
    } else if (star >= 0) {
      in_ = star + 1
      at = ++from
    } else return false
  }
  while (pattern[in_] === '*') in_++
  return in_ === pattern.length
}
