/** Seeded pseudorandom numbers, the same on every run. https://en.wikipedia.org/wiki/Xorshift */
export interface Chance {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  share(): number
  whole(from: number, to: number): number
  oneOf<Item>(items: readonly Item[]): Item
  /** Returns one of the items, chosen in proportion to its weight. */
  weighted<Item>(items: readonly (readonly [Item, number])[]): Item
  hex(digits: number): string
  uuid(): string
}

export function chanceOf(seed: number): Chance {
  let state = seed || 1
  const share = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const whole = (from: number, to: number) => from + Math.floor(share() * (to - from + 1))
  const hex = (digits: number) => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join('')
  return {
    share,
    whole,
    oneOf: (items) => items[whole(0, items.length - 1)]!,
    weighted(items) {
      let left = share() * items.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of items) if ((left -= weight) <= 0) return item
      return items.at(-1)![0]
    },
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  }
}
