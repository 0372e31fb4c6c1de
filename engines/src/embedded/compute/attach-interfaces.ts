import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { JobHandler, RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { allocatePort, releasePort, type NetworkDraft } from '../networking/ports'
import type { Engine } from '../engine'
import { networksOf, nicOf } from './create-instance'
import { getPlan, putPlan } from './instance-plan'
import { changeInstance, lockFor, subjectOf } from './instance-rows'

const mostCards = 8

export const attachInterface = (engine: Engine, scope: Scope, id: string, draft: NetworkDraft) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'attachInterface')
    if (row.network_data.length >= mostCards) {
      throw new Problem('conflict', `A virtual machine has at most ${mostCards} network cards`)
    }
    // what the instance's project may use, also when an operator acts
    const owner = { ...scope, project_id: row.project_id, domain_id: row.domain_id }
    const port = await allocatePort(tx, owner, draft, id, '')
    const cards = [...row.network_data, port.shown]
    const plan = await getPlan(tx, id)
    await putPlan(tx, id, { ...plan, nics: [...plan.nics, nicOf(port)] })
    const changed = await changeInstance(tx, row, { network_data: cards, networks: networksOf(cards) })
    await tx.startJob({
      name: 'compute.server.attach_interface',
      subject: subjectOf(row),
      args: { port: port.shown.port_id },
      scope,
    })
    return changed
  })

export const detachInterface = (engine: Engine, scope: Scope, id: string, portId: string) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'detachInterface')
    if (!row.network_data.some((card) => card.port_id === portId)) throw notFound()
    await tx.startJob({
      name: 'compute.server.detach_interface',
      subject: subjectOf(row),
      args: { port: portId },
      scope,
    })
    return row
  })

/** Takes the card out of the row and the plan and gives its address back. */
async function removeCard(tx: RecordsTransaction, id: string, portId: string): Promise<void> {
  const row = await tx.lock<Instance>('server', id)
  if (!row) return
  const cards = row.network_data.filter((card) => card.port_id !== portId)
  if (cards.length !== row.network_data.length) {
    await changeInstance(tx, row, { network_data: cards, networks: networksOf(cards) })
  }
  const plan = await getPlan(tx, id)
  await putPlan(tx, id, { ...plan, nics: plan.nics.filter((nic) => nic.id !== portId) })
  await releasePort(tx, portId)
}

const isUp = async ({ hypervisor }: Engine, id: string) =>
  ['running', 'paused'].includes(await hypervisor.machines.state(id))

export const attachInterfaceJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id }, args }) {
    const plan = await engine.records.transaction(async (tx) => ((await tx.get('server', id)) ? getPlan(tx, id) : null))
    const nic = plan?.nics.find((it) => it.id === args['port'])
    if (!plan || !nic) return null
    if (await isUp(engine, id)) await engine.hypervisor.machines.attachNic(id, { ...nic, hostname: plan.hostname })
    return { id }
  },
  onFailure: (job) => engine.records.transaction((tx) => removeCard(tx, job.subject.id, job.args['port'] as string)),
})

export const detachInterfaceJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id }, args }) {
    const portId = args['port'] as string
    const row = await engine.records.transaction((tx) => tx.get<Instance>('server', id))
    if (!row?.network_data.some((card) => card.port_id === portId)) return null
    if (await isUp(engine, id)) await engine.hypervisor.machines.detachNic(id, portId)
    await engine.records.transaction((tx) => removeCard(tx, id, portId))
    return { id }
  },
})
