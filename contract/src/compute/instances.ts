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

// what is said of instances is imported from here, whichever file of this folder says it
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

/** `delete_volumes`: ids to delete as well; left out: those flagged delete_on_termination. */
const DeletionQuery = PermanentQuery.extend({ delete_volumes: z.string().max(2048).optional() })

export const instances = endpoints({
  ...crud(instanceKind, {
    path,
    called: ['an instance', 'instances'],
    change: InstanceChange,
    summaries: { update: 'Rename or describe an instance, or change what it allows' },
  }),
  create: {
    verb: 'POST',
    path,
    needs: create('compute_servers'),
    summary: 'Create instances',
    body: InstanceDraft,
    status: 202,
    /** The first instance; `created_ids` holds the ids of all that this call made. */
    reply: Instance.extend({ created_ids: z.array(z.string()) }),
  },
  delete: {
    verb: 'DELETE',
    path: one,
    needs: remove('compute_server'),
    summary: 'Delete an instance, with the volumes flagged so; it can be restored from the recycle bin',
    query: DeletionQuery,
    status: 202,
    reply: Instance,
  },
  deletion: {
    verb: 'GET',
    path: `${one}/deletion`,
    needs: remove('compute_server'),
    summary: 'What deleting an instance would delete, and what would stay; nothing is done',
    query: DeletionQuery,
    reply: InstanceDeletion,
  },
  ...deletionLockCalls(instanceKind, { rowPath: one, one: 'an instance' }),
  ...instanceActionCalls,
  console: {
    verb: 'GET',
    path: `${one}/console`,
    needs: read('compute_server_console'),
    summary: 'Open the screen of an instance, or the terminal on its serial port: a single-use ticket',
    query: z.strictObject({ protocol: ConsoleProtocol.default('vnc') }),
    reply: ConsoleTicket,
    isAct: true,
  },
  log: {
    verb: 'GET',
    path: `${one}/log`,
    needs: read('compute_server_log'),
    summary: 'Read the end of the console log of an instance, as text',
    bytes: 'out',
    reply: z.void(),
  },
  events: {
    verb: 'GET',
    path: `${one}/events`,
    needs: read('compute_server'),
    summary: 'What was done to the instance',
    query: PageQuery,
    reply: page(InstanceEvent),
  },
  event: {
    verb: 'GET',
    path: `${one}/events/:event_id`,
    needs: read('compute_server'),
    summary: 'One thing that was done to the instance',
    reply: InstanceEvent,
  },
  timeline: {
    verb: 'GET',
    path: `${one}/timeline`,
    needs: read('compute_server'),
    summary: 'What happened to the instance, newest first: calls, tasks and alerts',
    query: TimelineQuery,
    reply: TimelinePage,
  },
  stat: {
    verb: 'GET',
    path: `${one}/stat`,
    needs: read('compute_server'),
    summary: 'Figures of the instance now',
    reply: InstanceStat,
  },
  interfaces: {
    verb: 'GET',
    path: `${one}/interfaces`,
    needs: read('compute_server'),
    summary: 'List the network cards of an instance',
    reply: z.object({ data: z.array(InstanceInterface) }),
  },
  attachInterface: {
    verb: 'POST',
    path: `${one}/interfaces`,
    needs: update('compute_server'),
    summary: 'Add a network card to an instance',
    body: InstanceNetworkDraft,
    status: 202,
    reply: Instance,
  },
  updateInterface: {
    verb: 'PATCH',
    path: `${one}/interfaces/:port_id`,
    needs: update('compute_server'),
    summary: 'Change the addresses or the protection of a network card',
    body: InstanceInterfaceChange,
    reply: InstanceInterface,
  },
  /** Without a body, like the other calls here that take something away: command-line clients take a body for a failure. */
  detachInterface: {
    verb: 'DELETE',
    path: `${one}/interfaces/:port_id`,
    needs: update('compute_server'),
    summary: 'Remove a network card from an instance',
    status: 202,
    reply: z.void(),
  },
  volumes: {
    verb: 'GET',
    path: `${one}/volumes`,
    needs: read('compute_server'),
    summary: 'List the volumes of an instance',
    reply: z.object({ data: z.array(InstanceVolume) }),
  },
  attachVolume: {
    verb: 'POST',
    path: `${one}/volumes`,
    needs: update('compute_server'),
    summary: 'Attach a volume to an instance',
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
    summary: 'Detach a volume from an instance',
    status: 202,
    reply: z.void(),
  },
  tags: {
    verb: 'GET',
    path: `${one}/tags`,
    needs: read('compute_server'),
    summary: 'Tags of an instance',
    reply: z.object({ data: z.array(Tag) }),
  },
  setTag: {
    verb: 'PUT',
    path: `${one}/tags/:tag`,
    needs: update('compute_server'),
    summary: 'Set a tag',
    reply: Instance,
  },
  removeTag: {
    verb: 'DELETE',
    path: `${one}/tags/:tag`,
    needs: update('compute_server'),
    summary: 'Remove a tag',
    reply: Instance,
  },
  setMetadata: {
    verb: 'POST',
    path: `${one}/metadata`,
    needs: update('compute_server'),
    summary: 'Add or replace words of metadata; others stay',
    body: z.strictObject({ metadata: InstanceMetadata }).meta({ examples: [{ metadata: { tier: 'web' } }] }),
    reply: Instance,
  },
  removeMetadata: {
    verb: 'DELETE',
    path: `${one}/metadata/:key`,
    needs: update('compute_server'),
    summary: 'Remove a word of metadata',
    reply: Instance,
  },
  unsetMetadata: {
    verb: 'DELETE',
    path: `${one}/metadata`,
    needs: update('compute_server'),
    summary: 'Remove words of metadata: all or none',
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
