import { NO_FILE, type Ended, type NodeLink } from '../../hosts/node-link'

/** Replies of the program `ceph` by command, such as `osd tree`. A number is an exit status, with the text as error. */
type CephReplies = Record<string, unknown>

interface RecordedCeph extends NodeLink {
  /** Commands that were run, without the options. */
  readonly ran: string[]
  /** The replies. Tests can replace them. */
  replies: CephReplies
}

/** A refusal of the cluster, such as `refusal(39, 'ENOTEMPTY', 'Bucket not empty')`. */
export const refusal = (status: number, name: string, text: string): Ended => ({
  ...{ status, out: '', err: `Error ${name}: ${text}\n` },
})

const isEnded = (reply: unknown): reply is Ended => typeof reply === 'object' && reply !== null && 'status' in reply

/** Opens a link to a host whose program `ceph` returns recorded replies. Commands without a reply succeed. */
export function recordedCeph(replies: CephReplies): RecordedCeph {
  const lost = new AbortController()
  const link: RecordedCeph = {
    ...{ hostname: 'recorded', rights: 'root', ran: [], replies, lost: lost.signal },
    async run(argv) {
      const from = argv.indexOf('--connect-timeout') + 2
      const command = argv.slice(from, argv.lastIndexOf('--format')).join(' ')
      link.ran.push(command)
      const reply = link.replies[command]
      if (reply instanceof Error) throw reply
      if (isEnded(reply)) return reply
      return { status: 0, out: reply === undefined ? '' : `\n${JSON.stringify(reply)}\n`, err: '' }
    },
    read: async () => null,
    replace: async () => NO_FILE,
    close: async () => lost.abort(),
  }
  return link
}

const host = (id: number, name: string, children: number[]) => ({ id, name, type: 'host', type_id: 1, children })
const bucket = (id: number, name: string, type: string, children: number[]) => ({
  ...{ id, name, type, children },
  type_id: { rack: 3, row: 4, room: 7, root: 11 }[type]!,
})
const osd = (id: number, device_class: string, reweight = 1) => ({
  ...{ id, name: `osd.${id}`, type: 'osd', type_id: 0, device_class, crush_weight: 1, depth: 4, exists: 1 },
  ...{ status: 'up', reweight, primary_affinity: 1 },
})

/**
 * Replies of a cluster with three hosts, as Ceph 16.2 prints them: `node1` and `node2` are in racks of a room, and
 * `node3` is directly in the root. `osd.5` is out.
 */
export const threeHosts = (): CephReplies => ({
  'osd tree': {
    nodes: [
      bucket(-1, 'default', 'root', [-4, -9]),
      bucket(-9, 'hall', 'room', [-8]),
      bucket(-8, 'line', 'row', [-6, -7]),
      bucket(-7, 'north', 'rack', [-3]),
      host(-3, 'node2', [2, 3]),
      ...[osd(2, 'ssd'), osd(3, 'hdd')],
      bucket(-6, 'south', 'rack', [-2]),
      host(-2, 'node1', [0, 1]),
      ...[osd(0, 'ssd'), osd(1, 'hdd')],
      host(-4, 'node3', [4, 5]),
      ...[osd(4, 'hdd'), osd(5, 'hdd', 0)],
    ],
    stray: [],
  },
  'osd df': {
    nodes: [0, 1, 2, 3, 4, 5].map((id) => ({
      ...{ id, name: `osd.${id}`, type: 'osd', kb: 1000, kb_used: 100 * (id + 1), kb_avail: 1000 - 100 * (id + 1) },
    })),
    stray: [],
    summary: { total_kb: 6000 },
  },
  'osd crush rule dump': [
    {
      ...{ rule_id: 0, rule_name: 'replicated_rule', type: 1 },
      steps: [
        { op: 'take', item: -1, item_name: 'default' },
        { op: 'chooseleaf_firstn', num: 0, type: 'host' },
        { op: 'emit' },
      ],
    },
    {
      ...{ rule_id: 1, rule_name: 'pol-ssd', type: 1 },
      steps: [
        { op: 'take', item: -12, item_name: 'default~ssd' },
        { op: 'choose_firstn', num: 0, type: 'osd' },
        { op: 'emit' },
      ],
    },
    {
      ...{ rule_id: 2, rule_name: 'ec1', type: 3 },
      steps: [
        { op: 'set_chooseleaf_tries', num: 5 },
        { op: 'take', item: -15, item_name: 'default~hdd' },
        { op: 'chooseleaf_indep', num: 0, type: 'rack' },
        { op: 'emit' },
      ],
    },
  ],
  'osd dump': {
    pools: [
      { pool_name: 'images', size: 3, crush_rule: 0, erasure_code_profile: '' },
      { pool_name: 'fast', size: 2, crush_rule: 1, erasure_code_profile: '' },
      { pool_name: 'archive', size: 3, crush_rule: 2, erasure_code_profile: 'e21' },
    ],
    osds: [0, 1, 2, 3, 4, 5].map((id) => ({ osd: id, uuid: `uuid-${id}`, up: 1, in: id === 5 ? 0 : 1 })),
    erasure_code_profiles: { default: { k: '2', m: '2' }, e21: { k: '2', m: '1', 'crush-failure-domain': 'rack' } },
  },
  'config-key ls': [
    'config-history/1/',
    'dm-crypt/osd/uuid-0/luks',
    'dm-crypt/osd/uuid-2/luks',
    'dm-crypt/osd/uuid-1/luks',
  ],
})
