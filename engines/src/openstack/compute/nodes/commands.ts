import { computeNodeInProgress, type ComputeNodeState } from '@mainstay/contract/compute/node-rules'
import { whyNodeCannotBeFenced, whyNodeCannotJoin, whyNodeStays } from '@mainstay/contract/compute/node-membership'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { notFound, Problem, problem, problemOf } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ComputeNodesPort, NodeRelease } from '../../../ports/compute'
import type { Entity, JobRun } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps } from '../../engine'
import type { ReadNodes } from '../stat'
import { fenceMark, markOf } from './service-marks'
import { hypervisorVersion, nodeReader } from './shape'
import { nodeStatistics } from './statistics'

/** How long a task tries to change the cloud before it fails. */
const patienceMs = 2 * 60_000
/** Maximum number of instances that are counted for an error message. */
const mostCounted = 100

type ServiceChange =
  | { status: 'enabled'; forced_down?: false }
  | { status: 'disabled'; disabled_reason: string; forced_down?: true }

/**
 * Commands for the nodes of a cloud. A released node is a node whose compute service is disabled: the cloud still knows
 * the host, but places no instances on it. The cloud's installer installs and removes the services themselves.
 */
export function nodeCommands(engine: Engine, readNodes: ReadNodes): ComputeNodesPort {
  const { records, reading } = engine

  const known = (id: string) =>
    records.transaction(async (tx) => {
      const node = await tx.get<ComputeNode>('compute_node', id)
      if (!node) throw notFound()
      return { node, machines: (await tx.find('server', { host: node.host }, mostCounted)).length }
    })

  async function setService(cloud: ServiceClient, id: string, body: ServiceChange): Promise<void> {
    const { service } = await nodeReader.one(cloud, id)
    const path = `/os-services/${encodeURIComponent(service.id)}`
    await cloud.send('PUT', 'compute', path, z.void(), { version: hypervisorVersion, body }).catch((error: unknown) => {
      if (!(error instanceof Problem && error.code === 'forbidden')) throw error
      throw problem('identity.policy_of_cloud', { reason: error.message }, { data: error.data, cause: error })
    })
  }

  /** Marks a node as released and disables its service. */
  const setReleased = (id: string) =>
    setService(reading.caller, id, { status: 'disabled', disabled_reason: markOf('released') })

  async function begin(
    scope: Scope,
    node: ComputeNode,
    name: 'compute.node.join' | 'compute.node.release',
    { event }: NodeRelease,
  ): Promise<ComputeNode> {
    const cloud = await engine.as(scope)
    const subject = { kind: 'compute_node', id: node.id, name: node.host }
    const mark = markOf(name === 'compute.node.join' ? 'joining' : 'releasing')
    await engine.command({ name, subject, until: 'settled', scope, event }, () =>
      setService(cloud, node.id, { status: 'disabled', disabled_reason: mark }),
    )
    return engine.refresh(nodeReader, node.id)
  }

  engine.registerTaskSteps('compute.node.join', {
    whilePending: (job, row) =>
      orElse(
        whilePatient(job, row, 'joining', () => setService(reading.caller, row.id, { status: 'enabled' })),
        // otherwise, the node would be shown as joining, and could neither join again nor be released
        () => setReleased(row.id),
      ),
    onSettled: async ({ subject }) => {
      const { node } = await known(subject.id)
      if (node.hypervisor.status !== 'enabled') throw problem('compute.node_join_failed', { node: node.host })
    },
  })
  engine.registerTaskSteps('compute.node.release', releaseSteps())

  /** Steps of the release task. If the cloud still has instances on the node, the node is enabled again. */
  function releaseSteps(): TaskSteps {
    const reuse = (id: string) => setService(reading.caller, id, { status: 'enabled' })
    return {
      async whilePending(job, row) {
        const release = async () => {
          const query = { all_tenants: true, host: job.subject.name, limit: 1 }
          const shape = z.object({ servers: z.array(z.object({ id: z.string() })) })
          const { servers } = await reading.caller.get('compute', '/servers', shape, { query })
          if (servers.length > 0) return reuse(row.id)
          return setReleased(row.id)
        }
        await orElse(whilePatient(job, row, 'releasing', release), () => reuse(row.id))
      },
      async onSettled({ subject }) {
        const { node, machines } = await known(subject.id)
        if (node.state === 'released') return
        if (machines > 0) throw problem('compute.node_has_machines', { node: node.host, count: machines })
        throw problem('compute.node_release_failed', { node: node.host })
      },
    }
  }

  /** Runs `undo` if `work` fails. Throws the error of `work` even if `undo` also fails. */
  async function orElse(work: Promise<void>, undo: () => Promise<void>): Promise<void> {
    try {
      await work
    } catch (failure) {
      await undo().catch((error: unknown) =>
        engine.log.debug({ error }, 'failed to undo a change of a compute service'),
      )
      throw failure
    }
  }

  /** Repeats a change until the cloud has made it. Errors end the task only after `patienceMs`. */
  async function whilePatient(job: JobRun, row: Entity, state: ComputeNodeState, change: () => Promise<void>) {
    if (row['state'] !== state) return
    try {
      await change()
    } catch (error) {
      if (job.time - job.since >= patienceMs) throw error
      engine.log.debug({ error, task_id: job.task_id }, 'failed to change a compute service; retrying')
    }
  }

  return {
    async join(scope, id, order) {
      const { node } = await known(id)
      const refusal = whyNodeCannotJoin(node)
      if (refusal) throw problemOf(refusal)
      return begin(scope, node, 'compute.node.join', order)
    },
    async release(scope, id, order) {
      const { node, machines } = await known(id)
      const refusal = whyNodeStays(node, machines)
      if (refusal) throw problemOf(refusal)
      return begin(scope, node, 'compute.node.release', order)
    },
    async fence(scope, id, reason, { keepsMachines } = { keepsMachines: false }) {
      const { node } = await known(id)
      const refusal = whyNodeCannotBeFenced(node, 0)
      if (refusal) throw problemOf(refusal)
      const disabled = { status: 'disabled', disabled_reason: fenceMark(reason) } as const
      // virtual machines cannot be migrated away from a host that is marked as down
      const change = keepsMachines ? disabled : { ...disabled, forced_down: true as const }
      await setService(await engine.as(scope), id, change)
      return engine.refresh(nodeReader, id)
    },
    async unfence(scope, id) {
      const { node } = await known(id)
      // also ends a task that can no longer continue
      if (node.fenced_reason === null && !computeNodeInProgress(node))
        throw problem('compute.node_not_fenced', { node: node.host })
      await setService(await engine.as(scope), id, { status: 'enabled', forced_down: false })
      return engine.refresh(nodeReader, id)
    },
    statistics: nodeStatistics(engine, readNodes),
    createCluster: () => Promise.reject(problem('compute.cluster_of_cloud')),
    deleteCluster: () => Promise.reject(problem('compute.cluster_of_cloud')),
  }
}
