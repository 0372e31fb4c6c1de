import { instanceKind, instances, type Instance } from '@mainstay/contract/compute/instances'
import { CONSOLE_LOG_BYTES, DEFAULT_SHUTDOWN_SECONDS } from '@mainstay/contract/compute/instance-rules'
import { notFound } from '@mainstay/contract/core/problems'
import { Secret } from '@mainstay/engines/ports/secret'
import { Readable } from 'node:stream'
import { readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { consoleTicket, readTag } from './instances.service'
import { history, oneOfHistory } from './instance-history.service'

const fromIndex = readFrom<Instance>(instanceKind)

export const instanceRoutes = serve(
  instances,
  {
    ...fromIndex,
    async create({ scope, body }, { compute }) {
      const made = await compute.instances.create(inProject(scope), body)
      return { ...made[0]!, created_ids: made.map(({ id }) => id) }
    },
    update: ({ scope, params, body }, { compute }) => compute.instances.update(scope, params.id, body),
    delete: ({ scope, params, query }, { compute }) =>
      compute.instances.delete(scope, params.id, query.delete_volumes?.split(',').filter((id) => id !== '') ?? null),
    start: ({ scope, params }, { compute }) => compute.instances.start(scope, params.id),
    stop: ({ scope, params, body: { hard, timeout = DEFAULT_SHUTDOWN_SECONDS } }, { compute }) =>
      compute.instances.stop(scope, params.id, { hard, timeoutSeconds: timeout }),
    async cancelStop({ scope, params }, { compute }) {
      await compute.instances.cancelStop(scope, params.id)
    },
    reboot: ({ scope, params, body: { hard } }, { compute }) => compute.instances.reboot(scope, params.id, { hard }),
    suspend: ({ scope, params }, { compute }) => compute.instances.suspend(scope, params.id),
    resume: ({ scope, params }, { compute }) => compute.instances.resume(scope, params.id),
    pause: ({ scope, params }, { compute }) => compute.instances.pause(scope, params.id),
    unpause: ({ scope, params }, { compute }) => compute.instances.unpause(scope, params.id),
    shelve: ({ scope, params }, { compute }) => compute.instances.shelve(scope, params.id),
    unshelve: ({ scope, params }, { compute }) => compute.instances.unshelve(scope, params.id),
    rescue: ({ scope, params, body }, { compute }) => compute.instances.rescue(scope, params.id, body.image_id ?? null),
    unrescue: ({ scope, params }, { compute }) => compute.instances.unrescue(scope, params.id),
    resize: ({ scope, params, body: { flavor, restart } }, { compute }) =>
      compute.instances.resize(scope, params.id, flavor, { restart }),
    setPassword: ({ scope, params, body }, { compute }) =>
      compute.instances.setPassword(scope, params.id, new Secret(body.password)),
    migrate: ({ scope, params, body: { node_id, cold } }, { compute }) =>
      compute.instances.migrate(scope, params.id, { node: node_id ?? null, cold }),
    stopMigrate: ({ scope, params }, { compute }) => compute.instances.stopMigration(scope, params.id),
    evacuate: ({ scope, params, body }, { compute }) =>
      compute.instances.evacuate(scope, params.id, body.node_id ?? null),
    reset: ({ scope, params, body }, { compute }) => compute.instances.resetState(scope, params.id, body.state ?? null),
    console: ({ caller, params, query }, tools) => consoleTicket(tools, caller, params.id, query.protocol),
    async log({ scope, params }, { compute, inventory }) {
      const { name } = await inventory.view<Instance>(instanceKind, scope, params.id)
      const text = await compute.instances.consoleLog(scope, params.id, CONSOLE_LOG_BYTES)
      return {
        octets: Readable.from([text], { objectMode: false }),
        sizeBytes: text.length,
        fileName: `${name}-console.log`,
        contentType: 'text/plain; charset=utf-8',
      }
    },
    events: ({ scope, params, query }, tools) => history(tools, scope, params.id, query),
    event: ({ scope, params }, tools) => oneOfHistory(tools, scope, params.id, params.event_id),
    stat: ({ scope, params }, { compute }) => compute.instances.stat(scope, params.id),
    interfaces: async (call, tools) => ({ data: (await fromIndex.view(call, tools)).network_data }),
    attachInterface: ({ scope, params, body }, { compute }) =>
      compute.instances.attachInterface(scope, params.id, body),
    async updateInterface({ scope, params: { id, port_id }, body }, { compute }) {
      const { network_data } = await compute.instances.updateInterface(scope, id, port_id, body)
      return network_data.find((card) => card.port_id === port_id)!
    },
    async detachInterface({ scope, params }, { compute }) {
      await compute.instances.detachInterface(scope, params.id, params.port_id)
    },
    volumes: async (call, tools) => ({ data: (await fromIndex.view(call, tools)).volumes }),
    attachVolume: ({ scope, params, body }, { compute }) =>
      compute.instances.attachVolume(scope, params.id, body.volume_id, body.delete_on_termination),
    async detachVolume({ scope, params }, { compute }) {
      await compute.instances.detachVolume(scope, params.id, params.volume_id)
    },
    tags: async (call, tools) => ({ data: (await fromIndex.view(call, tools)).tags }),
    setTag: ({ scope, params }, { compute }) => compute.instances.setTag(scope, params.id, readTag(params.tag)),
    removeTag: ({ scope, params }, { compute }) => compute.instances.removeTag(scope, params.id, readTag(params.tag)),
    setMetadata: ({ scope, params, body }, { compute }) =>
      compute.instances.setMetadata(scope, params.id, body.metadata),
    removeMetadata: ({ scope, params }, { compute }) => compute.instances.removeMetadata(scope, params.id, params.key),
    async unsetMetadata(call, tools) {
      const keys = Object.keys(call.body.metadata)
      const { metadata } = await fromIndex.view(call, tools)
      if (keys.some((key) => !Object.hasOwn(metadata, key))) throw notFound()
      for (const key of keys) await tools.compute.instances.removeMetadata(call.scope, call.params.id, key)
    },
  },
  { kind: instanceKind },
)
