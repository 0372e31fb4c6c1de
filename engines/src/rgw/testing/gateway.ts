import process from 'node:process'

/** The variables of a server whose object storage is the gateway to test on. Throws where none is named. */
export function gatewayEnvironment(): Record<string, string> {
  const named = Object.entries(process.env).filter(
    (it): it is [string, string] => it[0].startsWith('MAINSTAY_RGW_') && Boolean(it[1]),
  )
  if (named.length === 0) throw new Error('No gateway is named to test on: run this by npm run test:ceph')
  return { ...Object.fromEntries(named), MAINSTAY_S3_PORT: 'none' }
}
