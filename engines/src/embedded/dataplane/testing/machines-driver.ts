import process from 'node:process'
import type { MachineSpec, MachineState } from '../../hypervisor'
import { openQemu } from '../../qemu/qemu'
import { ask, booting } from '../../qemu/testbed'
import type { Applied, DataplaneFacts, WantedNetworks } from '../../../network-model/wanted'
import { answerCalls } from './answer-calls'

/*
 * Instances and their networks in a separate process, without the rest of the server. Its first argument is a folder.
 */

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

async function open() {
  const hypervisor = await openQemu({ folder: process.argv[2] ?? '', log })
  if ('missing' in hypervisor) throw new Error(hypervisor.advice)
  return hypervisor
}
const opened = open()

export interface MachinesDriverCalls {
  facts(): Promise<DataplaneFacts>
  /** Tells operators what is missing for guest networking. */
  problem(): Promise<string | null>
  apply(wanted: WantedNetworks): Promise<Applied>
  /** Starts an instance and waits until its guest accepts commands. */
  boot(spec: MachineSpec): Promise<void>
  ask(id: string, command: string): Promise<string>
  state(id: string): Promise<MachineState>
  /** Deletes all instances and ends all processes that would outlive the server. */
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
