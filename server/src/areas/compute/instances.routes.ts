import { instanceKind, instances, type Instance } from '@mainstay/contract/compute/instances'
import { CONSOLE_LOG_BYTES, DEFAULT_SHUTDOWN_SECONDS } from '@mainstay/contract/compute/instance-rules'
import { notFound } from '@mainstay/contract/core/problems'
import { Secret } from '@mainstay/engines/ports/secret'
import { Readable } from 'node:stream'
import { deletionLocksOf, readFrom, serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { deleteInstance, deletionOf } from './instance-deletion.service'
import { consoleTicket, readTag } from './instances.service'
import { checkLiveResize } from './live-resize.service'
import { history, oneOfHistory } from './instance-history.service'
import { timeline } from './instance-timeline.service'

const fromIndex = readFrom<Instance>(instanceKind)

export const instanceRoutes = serve(
  instances,
  {
    ...fromIndex,
    ...deletionLocksOf(instanceKind),
    async create({ scope, body }, { ports, domainProperties }) {
      if (body.allow_live_resize) await checkLiveResize(domainProperties, scope.domain_id)
      const made = await ports.compute.instances.create(inProject(scope), body)
      return { ...made[0]!, created_ids: made.map(({ id }) => id) }
    },
    async update({ scope, params, body }, { ports, inventory, domainProperties }) {
      if (body.allow_live_resize) {
        const { domain_id } = await inventory.view<Instance>(instanceKind, scope, params.id)
        await checkLiveResize(domainProperties, domain_id)
      }
      return ports.compute.instances.update(scope, params.id, body)
    },
    delete: ({ scope, params, query }, tools) => deleteInstance(tools, scope, params.id, query),
    deletion: ({ scope, params, query }, tools) => deletionOf(tools, scope, params.id, query),
    start: ({ scope, params }, { ports }) => ports.compute.instances.start(scope, params.id),
    stop: ({ scope, params, body: { hard, timeout = DEFAULT_SHUTDOWN_SECONDS } }, { ports }) =>
      ports.compute.instances.stop(scope, params.id, { hard, timeoutSeconds: timeout }),
    async cancelStop({ scope, params }, { ports }) {
      await ports.compute.instances.cancelStop(scope, params.id)
    },
    reboot: ({ scope, params, body: { hard } }, { ports }) =>
      ports.compute.instances.reboot(scope, params.id, { hard }),
    suspend: ({ scope, params }, { ports }) => ports.compute.instances.suspend(scope, params.id),
    resume: ({ scope, params }, { ports }) => ports.compute.instances.resume(scope, params.id),
    pause: ({ scope, params }, { ports }) => ports.compute.instances.pause(scope, params.id),
    unpause: ({ scope, params }, { ports }) => ports.compute.instances.unpause(scope, params.id),
    shelve: ({ scope, params }, { ports }) => ports.compute.instances.shelve(scope, params.id),
    unshelve: ({ scope, params }, { ports }) => ports.compute.instances.unshelve(scope, params.id),
    rescue: ({ scope, params, body }, { ports }) =>
      ports.compute.instances.rescue(scope, params.id, body.image_id ?? null),
    unrescue: ({ scope, params }, { ports }) => ports.compute.instances.unrescue(scope, params.id),
    resize: ({ scope, params, body: { flavor, restart } }, { ports }) =>
      ports.compute.instances.resize(scope, params.id, flavor, { restart }),
    setPassword: ({ scope, params, body }, { ports }) =>
      ports.compute.instances.setPassword(scope, params.id, new Secret(body.password)),
    migrate: ({ scope, params, body: { node_id, cold } }, { ports }) =>
      ports.compute.instances.migrate(scope, params.id, { node: node_id ?? null, cold }),
    stopMigrate: ({ scope, params }, { ports }) => ports.compute.instances.stopMigration(scope, params.id),
    evacuate: ({ scope, params, body }, { ports }) =>
      ports.compute.instances.evacuate(scope, params.id, body.node_id ?? null),
    reset: ({ scope, params, body }, { ports }) =>
      ports.compute.instances.resetState(scope, params.id, body.state ?? null),
    console: ({ caller, params, query }, tools) => consoleTicket(tools, caller, params.id, query.protocol),
    async log({ scope, params }, { ports, inventory }) {
      const { name } = await inventory.view<Instance>(instanceKind, scope, params.id)
      const text = await ports.compute.instances.consoleLog(scope, params.id, CONSOLE_LOG_BYTES)
      return {
        bytes: Readable.from([text], { objectMode: false }),
        sizeBytes: text.length,
        fileName: `${name}-console.log`,
        contentType: 'text/plain; charset=utf-8',
      }
    },
    events: ({ scope, params, query }, tools) => history(tools, scope, params.id, query),
    event: ({ scope, params }, tools) => oneOfHistory(tools, scope, params.id, params.event_id),
    timeline: ({ caller, params, query }, tools) => timeline(tools, caller, params.id, query),
    stat: ({ scope, params }, { ports }) => ports.compute.instances.stat(scope, params.id),
    interfaces: async (call, tools) => ({ data: (await fromIndex.view(call, tools)).network_data }),
    attachInterface: ({ scope, params, body }, { ports }) => ports.networking.interfaces.attach(scope, params.id, body),
    async updateInterface({ scope, params: { id, port_id }, body }, { ports }) {
      const { network_data } = await ports.networking.interfaces.update(scope, id, port_id, body)
      return network_data.find((card) => card.port_id === port_id)!
    },
    async detachInterface({ scope, params }, { ports }) {
      await ports.networking.interfaces.detach(scope, params.id, params.port_id)
    },
    volumes: async (call, tools) => ({ data: (await fromIndex.view(call, tools)).volumes }),
    attachVolume: ({ scope, params, body }, { ports }) =>
      ports.compute.instances.attachVolume(scope, params.id, body.volume_id, body.delete_on_termination),
    async detachVolume({ scope, params }, { ports }) {
      await ports.compute.instances.detachVolume(scope, params.id, params.volume_id)
    },
    tags: async (call, tools) => ({ data: (await fromIndex.view(call, tools)).tags }),
    setTag: ({ scope, params }, { ports }) => ports.compute.instances.setTag(scope, params.id, readTag(params.tag)),
    removeTag: ({ scope, params }, { ports }) =>
      ports.compute.instances.removeTag(scope, params.id, readTag(params.tag)),
    setMetadata: ({ scope, params, body }, { ports }) =>
      ports.compute.instances.setMetadata(scope, params.id, body.metadata),
    removeMetadata: ({ scope, params }, { ports }) =>
      ports.compute.instances.removeMetadata(scope, params.id, params.key),
    async unsetMetadata(call, tools) {
      const keys = Object.keys(call.body.metadata)
      const { metadata } = await fromIndex.view(call, tools)
      if (keys.some((key) => !Object.hasOwn(metadata, key))) throw notFound()
      for (const key of keys) await tools.ports.compute.instances.removeMetadata(call.scope, call.params.id, key)
    },
  },
  { kind: instanceKind },
)
