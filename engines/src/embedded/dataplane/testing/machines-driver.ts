import process from 'node:process'
import type { MachineSpec, MachineState } from '../../hypervisor'
import { openQemu } from '../../qemu/qemu'
import { ask, booting } from '../../qemu/testbed'
import type { Applied, DataplaneFacts, WantedNetworks } from '../../../network-model/wanted'
import { answerCalls } from './answer-calls'

/* Machines and their networks in a process of its own, without the rest of a server. Its first word is a folder. */

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

async function open() {
  const hypervisor = await openQemu({ folder: process.argv[2] ?? '', log })
  if ('missing' in hypervisor) throw new Error(hypervisor.advice)
  return hypervisor
}
const opened = open()

export interface MachinesDriverCalls {
  facts(): Promise<DataplaneFacts>
  /** What the network of guests lacks, for operators. */
  problem(): Promise<string | null>
  apply(wanted: WantedNetworks): Promise<Applied>
  /** Starts a machine, and waits until its guest takes commands. */
  boot(spec: MachineSpec): Promise<void>
  ask(id: string, command: string): Promise<string>
  state(id: string): Promise<MachineState>
  /** Ends all machines and all else that goes on without a server. */
  finish(): Promise<void>
}

answerCalls(opened, async (hypervisor, call, args) => {
  const { machines, dataplane } = hypervisor
  const calls: MachinesDriverCalls = {
    facts: () => dataplane!.probe(),
    problem: async () => hypervisor.guestNetwork().problem,
    apply: (wanted) => dataplane!.apply(wanted),
    boot: (spec) => booting(hypervisor, spec.id, () => machines.start(spec)),
    ask: (id, command) => ask(hypervisor, id, command),
    state: (id) => machines.state(id),
    async finish() {
      for (const { id } of await machines.known()) await machines.forget(id)
      await hypervisor.close()
    },
  }
  return (calls[call as keyof MachinesDriverCalls] as (...words: unknown[]) => Promise<unknown>)(...args)
})
