import type { MetadataDoor } from './plan'

/** Headers that identify the guest to the server. HAProxy removes any such headers that the guest sends. */
export const headers = { network: 'x-mainstay-network', address: 'x-mainstay-address' }

export const metadataSocket = 'metadata.sock'

/**
 * Returns the configuration of the metadata HAProxy: one listener in the namespace of each network, and additional
 * listeners on routers and the edge for guests that have only a default route. `as` is the user that HAProxy switches
 * to after binding.
 */
export function metadataConfig(doors: readonly MetadataDoor[], as: { user: string; group: string } | null): string {
  const listeners = doors.map(
    ({ networkId, space, device }, at) => `
frontend door${at}
  bind 169.254.169.254:80 namespace ${space}${device === null ? '' : ` interface ${device}`}
  http-request del-header ${headers.network}
  http-request del-header ${headers.address}
  http-request set-header ${headers.network} ${networkId}
  http-request set-header ${headers.address} %[src]
  default_backend server`,
  )
  return `global
  maxconn 2000
${as === null ? '' : `  user ${as.user}\n  group ${as.group}\n`}
defaults
  mode http
  maxconn 1000
  timeout connect 2s
  timeout client 10s
  timeout server 20s
  timeout http-request 5s
  timeout http-keep-alive 2s
  http-reuse never
${listeners.join('\n')}

backend server
  http-request deny deny_status 413 if { req.body_size gt 65536 }
  server mainstay unix@${metadataSocket} maxconn 64
`
}
