import * as z from 'zod'
import { ikeVersions, proposalOf, type Algorithms, type IkeVersion } from './algorithms'
import { selectorPairs } from './rules'

/** Placeholder for the pre-shared key, which is never returned. */
export const PSK_PLACEHOLDER = 'THE-PRE-SHARED-KEY'

/** Configuration for the peer side. */
export const PeerConfiguration = z.object({
  /** A `swanctl.conf` for strongSwan, with a placeholder for the key. */
  swanctl: z.string(),
  /** The same values, for other software. */
  values: z.object({
    ike_version: z.enum(ikeVersions),
    /** The peer's address. */
    local_address: z.string(),
    /** The router's address on this side; null if it has no external gateway. */
    remote_address: z.string().nullable(),
    local_id: z.string(),
    remote_id: z.string().nullable(),
    local_subnets: z.array(z.string()),
    remote_subnets: z.array(z.string()),
    ike_proposal: z.string(),
    ike_lifetime: z.number().int().describe('In seconds.'),
    esp_proposal: z.string(),
    esp_lifetime: z.number().int().describe('In seconds.'),
    dpd_interval: z.number().int().describe('In seconds.').nullable(),
    /** Whether the peer must initiate the connection, because this side only responds. */
    begins: z.boolean(),
  }),
})
export type PeerConfiguration = z.infer<typeof PeerConfiguration>

/** Settings of a connection, as seen from this side. */
export interface ConnectionHere {
  name: string
  ike: Algorithms & { ike_version: IkeVersion; lifetime: { value: number } }
  ipsec: Algorithms & { lifetime: { value: number } }
  peer_address: string
  peer_id: string
  local_address: string | null
  local_id: string | null
  local_subnets: readonly string[]
  remote_subnets: readonly string[]
  split_selector: boolean
  initiator: 'bi-directional' | 'response-only'
  dpd: { action: string; interval: number }
}

/** Returns the configuration for the peer, with local and remote settings of `here` swapped. */
export function peerConfigurationOf(here: ConnectionHere): PeerConfiguration {
  const begins = here.initiator === 'response-only'
  const values: PeerConfiguration['values'] = {
    ike_version: here.ike.ike_version,
    local_address: here.peer_address,
    remote_address: here.local_address,
    local_id: here.peer_id,
    remote_id: here.local_id ?? here.local_address,
    local_subnets: [...here.remote_subnets],
    remote_subnets: [...here.local_subnets],
    ike_proposal: proposalOf(here.ike),
    ike_lifetime: here.ike.lifetime.value,
    esp_proposal: proposalOf(here.ipsec),
    esp_lifetime: here.ipsec.lifetime.value,
    dpd_interval: here.dpd.action === 'disabled' ? null : here.dpd.interval,
    begins,
  }
  return { swanctl: swanctlText(here, values), values }
}

function swanctlText(here: ConnectionHere, values: PeerConfiguration['values']): string {
  const isEach = here.split_selector
  const children = isEach
    ? selectorPairs({ local: here.local_subnets, remote: here.remote_subnets }).map(({ local, remote }) => ({
        local: [remote],
        remote: [local],
      }))
    : [{ local: values.local_subnets, remote: values.remote_subnets }]
  const child = ({ local, remote }: (typeof children)[number], at: number) => [
    `      net-${at + 1} {`,
    `        local_ts = ${local.join(', ')}`,
    `        remote_ts = ${remote.join(', ')}`,
    `        esp_proposals = ${values.esp_proposal}`,
    `        rekey_time = ${values.esp_lifetime}s`,
    `        start_action = ${values.begins ? 'start' : 'trap'}`,
    `        dpd_action = restart`,
    '      }',
  ]
  const name = nameFor(here.name)
  return [
    `# ${here.name}`,
    'connections {',
    `  ${name} {`,
    `    version = ${values.ike_version === 'v1' ? 1 : 2}`,
    // the address may be translated by NAT; the peer is authenticated by the key
    `    remote_addrs = ${values.remote_address === null ? '' : `${values.remote_address}, `}%any`,
    `    proposals = ${values.ike_proposal}`,
    `    rekey_time = ${values.ike_lifetime}s`,
    ...(values.dpd_interval === null ? [] : [`    dpd_delay = ${values.dpd_interval}s`]),
    '    local {',
    '      auth = psk',
    `      id = ${quoted(values.local_id)}`,
    '    }',
    '    remote {',
    '      auth = psk',
    `      id = ${values.remote_id === null ? '%any' : quoted(values.remote_id)}`,
    '    }',
    '    children {',
    ...children.flatMap(child),
    '    }',
    '  }',
    '}',
    'secrets {',
    `  ike-${name} {`,
    `    id-1 = ${quoted(values.local_id)}`,
    ...(values.remote_id === null ? [] : [`    id-2 = ${quoted(values.remote_id)}`]),
    `    secret = "${PSK_PLACEHOLDER}"`,
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Quotes a text for the strongSwan configuration. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** Converts a name to a section name of letters, digits and hyphens. */
const nameFor = (name: string): string => name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'site'
