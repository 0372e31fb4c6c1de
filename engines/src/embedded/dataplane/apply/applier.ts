import { join } from 'node:path'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readKernel, runProgram } from '../../../host/programs'
import { canonical } from '../../../network-model/addresses'
import type { Capsule } from '../capsule/capsule'
import { chosenAddresses, keptElements } from '../../../network-model/compile/chosen-addresses'
import { compile } from '../../../network-model/compile/compile'
import { membersOfGroups } from '../../../network-model/compile/match'
import { assignNumbers, noNumbers, type Numbers } from '../../../network-model/compile/numbers'
import type { Compiled, SwitchRules } from '../../../network-model/compile/plan'
import { chosenMap } from '../../../network-model/compile/switch-tables'
import type { Esp } from '../../../network-model/compile/vpns'
import { switchSpace } from '../../../network-model/names'
import type { WantedNetworks } from '../../../network-model/wanted'
import { isStillAllowed, networksToLookAt, readConnections } from './connections'
import { difference, type PortMaking } from './difference'
import { parseKernel, readKernelScript, type KernelState } from './kernel'
import { prepareScript } from './prepare'
import { faultsIn, scriptOf, type Step, type StepFault } from './script'
import { changedRules, wholeLoad, type Slot } from './tables'

/*
 * Reconciles the capsule's kernel state with the plan. The state is read once, updated with each command that is
 * applied, and read again after any failure.
 */

export interface Applier {
  readonly numbers: Numbers
  readonly slot: Slot
  /** The current plan; null before the first `apply`. */
  readonly plan: Compiled | null
  apply(
    wanted: WantedNetworks,
    plugged: Set<string>,
  ): Promise<{ plan: Compiled; faults: StepFault[]; unchanged: boolean }>
  /** Discards the tracked kernel state, for example after the capsule was rebuilt. */
  forget(): void
}

const nothing: WantedNetworks = {
  networks: [],
  ports: [],
  routers: [],
  groups: [],
  floating: [],
  balancers: [],
  vpns: [],
}

export function openApplier(folder: string, capsule: () => Capsule, ports: PortMaking & { esp: Esp }): Applier {
  const numbersFile = join(folder, 'numbers.json')
  let numbers = readNumbers(numbersFile)
  let kernel: KernelState | null = null
  let loaded: SwitchRules | null = null
  let slot: Slot = 'a'
  let plan: Compiled | null = null
  let before: WantedNetworks = nothing

  const shell = () => [...capsule().enter(), 'sh', '-s', capsule().folder]
  const inside = (script: string) => runProgram(shell(), script)
  const read = (script: string) => readKernel(shell(), script)

  /**
   * Lists the addresses that guests assigned themselves, in nft syntax; empty until the rules have been loaded once.
   */
  const listChosen = () =>
    read(`nsenter --net=/run/netns/sw sh -c 'nft list map bridge ms_${slot} ${chosenMap} 2>/dev/null || :'`)

  async function known(plugged: Set<string>, next: Compiled): Promise<KernelState> {
    if (kernel) return kernel
    await read(prepareScript)
    const found = parseKernel(await read(readKernelScript))
    // taps created by a previous server process stay plugged in
    for (const { name, portId } of next.taps) if (found.get(switchSpace)?.links.has(name)) plugged.add(portId)
    slot = (await read(`nsenter --net=/run/netns/sw nft list tables`)).includes('inet ms_a') ? 'a' : 'b'
    return found
  }

  async function apply(wanted: WantedNetworks, plugged: Set<string>) {
    const given = assignNumbers(wanted, numbers)
    if (JSON.stringify(given) !== JSON.stringify(numbers)) {
      numbers = given
      writeFileSync(`${numbersFile}.part`, JSON.stringify(numbers), { mode: 0o600 })
      renameSync(`${numbersFile}.part`, numbersFile)
    }
    const next = compile(wanted, numbers, ports.esp, plan?.stands)
    const now = await known(plugged, next)
    for (const id of [...plugged]) if (!next.taps.some(({ portId }) => portId === id)) plugged.delete(id)
    const { first, last, after } = difference(now, next, plugged, ports)
    const nextSlot: Slot = loaded ? slot : slot === 'a' ? 'b' : 'a'
    const texts = loaded
      ? changedRules(loaded, next.rules, slot)
      : wholeLoad(next.rules, nextSlot, keptElements(await listChosen()))
    const rules: Step[] = texts.map((text) => ({ space: switchSpace, command: 'nft -f -', lines: [text] }))
    const foreign: Step[] = loaded ? [] : [{ space: switchSpace, command: 'sh', lines: [dropForeignTables(nextSlot)] }]
    const steps = [...first, ...rules, ...foreign, ...last]
    // until all steps have succeeded, the kernel state is unknown
    kernel = null
    const untouched = loaded !== null
    loaded = null
    plan = next
    const faults = steps.length === 0 ? [] : faultsIn(await inside(scriptOf(steps)), steps)
    const less = untouched ? networksToLookAt(before, wanted) : new Set(wanted.networks.map(({ id }) => id))
    await endConnections(less, wanted, next)
    before = wanted
    slot = nextSlot
    if (faults.length === 0) {
      kernel = after
      loaded = next.rules
    }
    return { plan: next, faults, unchanged: untouched && steps.length === 0 }
  }

  async function endConnections(
    networks: Set<string>,
    wanted: WantedNetworks,
    { zones, rules }: Compiled,
  ): Promise<void> {
    if (networks.size === 0 || rules.inet.get('zones')!.size === 0) return
    const listed = await inside(
      `nsenter --net=/run/netns/sw sh -c 'conntrack -L -o extended 2>/dev/null; conntrack -L -f ipv6 -o extended 2>/dev/null; :'`,
    )
    const networkIn = new Map(zones.map(({ zone, networkId }) => [zone, networkId]))
    const groups = new Map(wanted.groups.map((group) => [group.id, group]))
    const chosen = chosenAddresses(await listChosen(), wanted, numbers)
    const members = membersOfGroups(wanted, chosen)
    const portsIn = new Map([...networks].map((id) => [id, new Map(chosen.get(id))]))
    for (const port of wanted.ports) {
      if (port.owner === 'router') continue
      for (const address of port.addresses) portsIn.get(port.networkId)?.set(canonical(address), port)
    }
    const orders: string[] = []
    for (const { packet, zone, words } of readConnections(listed)) {
      const own = portsIn.get(networkIn.get(zone) ?? '')
      if (own && !isStillAllowed(packet, own, { groups, members })) orders.push(`${words} -w ${zone}`)
    }
    if (orders.length === 0) return
    // the connection may already have ended, so errors are ignored
    const deletions = orders.map((words) => `conntrack ${words} >/dev/null 2>&1`)
    await inside(`nsenter --net=/run/netns/sw sh <<'END'\n${deletions.join('\n')}\n:\nEND\n`)
  }

  return {
    get numbers() {
      return numbers
    },
    get slot() {
      return slot
    },
    get plan() {
      return plan
    },
    apply,
    forget() {
      kernel = null
      loaded = null
    },
  }
}

const dropForeignTables = (slot: Slot) => `
nft list tables | while read -r t family name; do
  case "$family $name" in "bridge ms_${slot}"|"inet ms_${slot}") ;; *) nft delete table $family $name;; esac
done
:`

function readNumbers(file: string): Numbers {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Numbers
  } catch {
    return noNumbers
  }
}
