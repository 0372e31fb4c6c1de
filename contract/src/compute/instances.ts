import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { deletionLockCalls } from '../core/deletion-locks'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { someId } from '../core/example'
import { Id, Tag } from '../core/names'
import { page, PageQuery } from '../core/lists/paging'
import { Instance, InstanceInterface, instanceKind, InstanceVolume } from './instance'
import { ActionEvent, instanceActionCalls, oneInstance as one } from './instance-actions'
import {
  InstanceChange,
  InstanceDraft,
  InstanceInterfaceChange,
  InstanceMetadata,
  InstanceNetworkDraft,
  MetadataKey,
} from './instance-draft'
import { MAX_METADATA } from './instance-rules'
import { PermanentQuery } from '../storage/recycle-bin'
import { TimelinePage, TimelineQuery } from './instance-timeline'
import { ConsoleProtocol, ConsoleTicket, InstanceDeletion, InstanceEvent, InstanceStat } from './instance-views'

// everything about instances is re-exported so that callers need only one import
export { Instance, InstanceInterface, instanceKind, InstanceVolume, networksOf } from './instance'
export {
  GuestPassword,
  InstanceChange,
  InstanceDraft,
  InstanceInterfaceChange,
  InstanceMetadata,
  MetadataKey,
} from './instance-draft'
export { TimelineEntry, TimelinePage } from './instance-timeline'
export { ConsoleProtocol, ConsoleTicket, InstanceDeletion, InstanceEvent, InstanceStat } from './instance-views'

const path = '/api/v2/compute/servers'

/** `delete_volumes`: IDs of volumes to delete with the instance. Default: those flagged with delete_on_termination. */
const DeletionQuery = PermanentQuery.extend({ delete_volumes: z.string().max(2048).optional() })

export const instances = endpoints({
  ...crud(instanceKind, {
    path,
    called: ['a virtual machine', 'virtual machines'],
    change: InstanceChange,
  }),
  create: {
    verb: 'POST',
    path,
    needs: create('compute_servers'),
    summary: 'Create virtual machines',
    body: InstanceDraft,
    status: 202,
    /** The first instance; `created_ids` lists the IDs of all instances that the call created. */
    reply: Instance.extend({ created_ids: z.array(z.string()) }),
  },
  delete: {
    verb: 'DELETE',
    path: one,
    needs: remove('compute_server'),
    summary:
      'Delete a virtual machine. It goes to the recycle bin, if that is enabled, with its volumes marked for deletion.',
    query: DeletionQuery,
    status: 202,
    reply: Instance,
  },
  deletion: {
    verb: 'GET',
    path: `${one}/deletion`,
    needs: remove('compute_server'),
    summary:
      'Preview the deletion of a virtual machine. Returns what would be deleted and what would be kept. Nothing is ' +
      'changed.',
    query: DeletionQuery,
    reply: InstanceDeletion,
  },
  ...deletionLockCalls(instanceKind, { rowPath: one, one: 'a virtual machine' }),
  ...instanceActionCalls,
  console: {
    verb: 'GET',
    path: `${one}/console`,
    needs: read('compute_server_console'),
    summary: 'Open the console of a virtual machine. Returns a single-use ticket for its screen or its serial port.',
    query: z.strictObject({ protocol: ConsoleProtocol.default('vnc') }),
    reply: ConsoleTicket,
    isAct: true,
  },
  log: {
    verb: 'GET',
    path: `${one}/log`,
    needs: read('compute_server_log'),
    summary: 'Get the console log of a virtual machine. Returns the end of the log as text.',
    bytes: 'out',
    reply: z.void(),
  },
  events: {
    verb: 'GET',
    path: `${one}/events`,
    needs: read('compute_server'),
    summary: 'List the events of a virtual machine',
    query: PageQuery,
    reply: page(InstanceEvent),
  },
  event: {
    verb: 'GET',
    path: `${one}/events/:event_id`,
    needs: read('compute_server'),
    summary: 'Get an event of a virtual machine',
    reply: InstanceEvent,
  },
  timeline: {
    verb: 'GET',
    path: `${one}/timeline`,
    needs: read('compute_server'),
    summary: 'Get the timeline of a virtual machine. Lists calls, tasks and alerts, newest first.',
    query: TimelineQuery,
    reply: TimelinePage,
  },
  stat: {
    verb: 'GET',
    path: `${one}/stat`,
    needs: read('compute_server'),
    summary: 'Get the current metrics of a virtual machine',
    reply: InstanceStat,
  },
  interfaces: {
    verb: 'GET',
    path: `${one}/interfaces`,
    needs: read('compute_server'),
    summary: 'List the network interfaces of a virtual machine',
    reply: z.object({ data: z.array(InstanceInterface) }),
  },
  attachInterface: {
    verb: 'POST',
    path: `${one}/interfaces`,
    needs: update('compute_server'),
    summary: 'Attach a network interface to a virtual machine',
    body: InstanceNetworkDraft,
    status: 202,
    reply: Instance,
  },
  updateInterface: {
    verb: 'PATCH',
    path: `${one}/interfaces/:port_id`,
    needs: update('compute_server'),
    summary: 'Update a network interface. Changes its IP addresses, its security groups or its spoofing protection.',
    body: InstanceInterfaceChange,
    reply: InstanceInterface,
  },
  /** Returns no body, like the other detach calls, because command-line clients treat a body as a failure. */
  detachInterface: {
    verb: 'DELETE',
    path: `${one}/interfaces/:port_id`,
    needs: update('compute_server'),
    summary: 'Detach a network interface from a virtual machine',
    status: 202,
    reply: z.void(),
  },
  volumes: {
    verb: 'GET',
    path: `${one}/volumes`,
    needs: read('compute_server'),
    summary: 'List the volumes of a virtual machine',
    reply: z.object({ data: z.array(InstanceVolume) }),
  },
  attachVolume: {
    verb: 'POST',
    path: `${one}/volumes`,
    needs: update('compute_server'),
    summary: 'Attach a volume to a virtual machine',
    body: z
      .strictObject({ event: ActionEvent, volume_id: Id, delete_on_termination: z.boolean().default(false) })
      .meta({ examples: [{ volume_id: someId('volume') }] }),
    status: 202,
    reply: Instance,
  },
  detachVolume: {
    verb: 'DELETE',
    path: `${one}/volumes/:volume_id`,
    needs: update('compute_server'),
    summary: 'Detach a volume from a virtual machine',
    status: 202,
    reply: z.void(),
  },
  tags: {
    verb: 'GET',
    path: `${one}/tags`,
    needs: read('compute_server'),
    summary: 'List the tags of a virtual machine',
    reply: z.object({ data: z.array(Tag) }),
  },
  setTag: {
    verb: 'PUT',
    path: `${one}/tags/:tag`,
    needs: update('compute_server'),
    summary: 'Add a tag to a virtual machine',
    reply: Instance,
  },
  removeTag: {
    verb: 'DELETE',
    path: `${one}/tags/:tag`,
    needs: update('compute_server'),
    summary: 'Remove a tag from a virtual machine',
    reply: Instance,
  },
  setMetadata: {
    verb: 'POST',
    path: `${one}/metadata`,
    needs: update('compute_server'),
    summary: 'Set metadata of a virtual machine. Adds or replaces the given entries and keeps all other entries.',
    body: z.strictObject({ metadata: InstanceMetadata }).meta({ examples: [{ metadata: { tier: 'web' } }] }),
    reply: Instance,
  },
  removeMetadata: {
    verb: 'DELETE',
    path: `${one}/metadata/:key`,
    needs: update('compute_server'),
    summary: 'Delete a metadata entry of a virtual machine',
    reply: Instance,
  },
  unsetMetadata: {
    verb: 'DELETE',
    path: `${one}/metadata`,
    needs: update('compute_server'),
    summary: 'Delete metadata entries of a virtual machine. Deletes either all of them or none.',
    body: z
      .strictObject({
        metadata: z
          .record(MetadataKey, z.null())
          .refine(
            (words) => Object.keys(words).length <= MAX_METADATA,
            says('compute.too_many_entries', { most: MAX_METADATA }),
          ),
      })
      .meta({ examples: [{ metadata: { tier: null } }] }),
    reply: z.void(),
  },
})
