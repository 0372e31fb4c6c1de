import type { SwitchRules } from '../../../network-model/compile/plan'
import {
  bridgeChains,
  filledInBridge,
  bridgeHooks,
  bridgeSets,
  chosenMap,
  counters,
  inetHooks,
  inetSets,
} from '../../../network-model/compile/switch-tables'

/*
 * Switch rules as transactions for `nft -f`. The netlink socket of an unprivileged user accepts only a few hundred
 * rules at a time, so large rule sets are split, with definitions before their uses. To replace all rules, a second
 * table is filled while the first stays active; the last transaction swaps the two.
 */

export type Slot = 'a' | 'b'

const budget = 3_000
const [ruleWeight, elementWeight] = [10, 2]
const elementsInLine = 250

/** Groups lines into transactions small enough for the netlink socket. */
class Transactions {
  readonly all: string[] = []
  #lines: string[] = []
  #weight = 0

  add(line: string, weight: number): void {
    if (this.#weight + weight > budget) this.close()
    this.#lines.push(line)
    this.#weight += weight
  }

  close(): void {
    if (this.#lines.length > 0) this.all.push(`${this.#lines.join('\n')}\n`)
    this.#lines = []
    this.#weight = 0
  }
}

const declare = ([name, { kind, type }]: [string, { kind: string; type: string }]) => ` ${kind} ${name} { ${type}\n }`

/**
 * Loads all rules into the table of `slot` and deletes the table of the other slot. `chosen` contains the map elements
 * of addresses that guests assigned themselves, copied from the other table.
 */
export function wholeLoad(rules: SwitchRules, slot: Slot, chosen: readonly string[] = []): string[] {
  const table = `ms_${slot}`
  const other = `ms_${slot === 'a' ? 'b' : 'a'}`
  const transactions = new Transactions()
  const fresh = (family: string, name: string) => `table ${family} ${name}\ndelete table ${family} ${name}\n`
  transactions.add(
    `${fresh('bridge', table)}table bridge ${table} {\n${Object.entries(bridgeSets).map(declare).join('\n')}${filledInBridge}${bridgeChains}\n}\n` +
      `${fresh('inet', table)}table inet ${table} {\n${Object.entries(inetSets).map(declare).join('\n')}${counters}\n}`,
    500,
  )
  change(transactions, table, noRules(), rules)
  const bridge = (words: string, weight: number) => transactions.add(words.replace('%', `bridge ${table}`), weight)
  elements(bridge, chosenMap, new Set(), new Set(chosen))
  transactions.close()
  transactions.add(
    `table bridge ${table} {${bridgeHooks}\n}\ntable inet ${table} {${inetHooks}\n}\n` +
      `${fresh('bridge', other)}${fresh('inet', other)}`,
    500,
  )
  transactions.close()
  return transactions.all
}

/**
 * Returns the transactions that update the loaded rules from `before` to `after`, or an empty list if they are the
 * same.
 */
export function changedRules(before: SwitchRules, after: SwitchRules, slot: Slot): string[] {
  const transactions = new Transactions()
  change(transactions, `ms_${slot}`, before, after)
  transactions.close()
  return transactions.all
}

export const noRules = (): SwitchRules => ({
  bridge: new Map(),
  limits: new Map(),
  inet: new Map(),
  members: new Map(),
  chains: new Map(),
})

function change(to: Transactions, table: string, before: SwitchRules, after: SwitchRules): void {
  const inet = (words: string, weight: number) => to.add(words.replace('%', `inet ${table}`), weight)
  const bridge = (words: string, weight: number) => to.add(words.replace('%', `bridge ${table}`), weight)

  for (const [name, { version, senders }] of after.members) {
    const more = senders ? '\n size 4096\n flags dynamic,timeout\n timeout 10m' : ''
    if (!before.members.has(name)) inet(`add set % ${name} { type ipv${version}_addr${more}\n }`, ruleWeight)
  }
  for (const [name, rate] of after.limits)
    if (!before.limits.has(name)) bridge(`add limit % ${name} ${limitText(rate)}`, ruleWeight)
  for (const name of after.chains.keys()) if (!before.chains.has(name)) inet(`add chain % ${name}`, ruleWeight)

  // add members to the sets before the chains that refer to them, so that no allowed traffic is dropped in between
  for (const [name, { addresses }] of after.members)
    elements(inet, name, before.members.get(name)?.addresses ?? new Set(), addresses)
  for (const [name, lines] of after.chains) {
    const old = before.chains.get(name)
    if (old && old.join('\n') === lines.join('\n')) continue
    const text = lines.map((line) => `add rule inet ${table} ${name} ${line}`)
    // replace the chain in one transaction if it fits
    if (old) text.unshift(`flush chain inet ${table} ${name}`)
    for (let at = 0; at < text.length; at += 200)
      to.add(text.slice(at, at + 200).join('\n'), ruleWeight * Math.min(200, text.length - at))
  }
  for (const [name, wanted] of after.inet) elements(inet, name, before.inet.get(name) ?? new Set(), wanted)
  for (const [name, wanted] of after.bridge) elements(bridge, name, before.bridge.get(name) ?? new Set(), wanted)

  // flush the set, because it does not record which port an address belongs to; remaining ports add theirs again with
  // their next connections
  for (const [name, { senders }] of after.members) {
    const lost = [...(before.members.get(name)?.senders ?? [])].some((id) => !senders?.has(id))
    if (lost) inet(`flush set % ${name}`, ruleWeight)
  }
  const gone = [...before.chains.keys()].filter((name) => !after.chains.has(name))
  for (const name of gone) inet(`flush chain % ${name}`, ruleWeight)
  for (const name of gone) inet(`delete chain % ${name}`, ruleWeight)
  for (const name of before.members.keys()) if (!after.members.has(name)) inet(`delete set % ${name}`, ruleWeight)
  for (const name of before.limits.keys()) if (!after.limits.has(name)) bridge(`delete limit % ${name}`, ruleWeight)
}

function elements(
  say: (words: string, weight: number) => void,
  name: string,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): void {
  const gone = [...before].filter((element) => !after.has(element))
  const fresh = [...after].filter((element) => !before.has(element))
  for (const [verb, some] of [
    ['delete', gone],
    ['add', fresh],
  ] as const) {
    for (let at = 0; at < some.length; at += elementsInLine) {
      const part = some.slice(at, at + elementsInLine)
      say(`${verb} element % ${name} { ${part.join(', ')} }`, elementWeight * part.length)
    }
  }
}

/** Allows bursts of 100 ms at the full rate, but at least 64 KiB. */
function limitText(bits: number): string {
  const bytes = Math.max(1_000, Math.round(bits / 8))
  return `{ rate over ${bytes} bytes/second burst ${Math.max(65_536, Math.round(bytes / 10))} bytes\n }`
}
