import { readFileSync } from 'node:fs'
import { EngineChoiceError, type RgwChoice } from '../ports/engines'
import { Secret } from '../ports/secret'

/** Endpoints and credentials of a Ceph Object Gateway. */
export interface RgwSettings {
  /** Without a trailing slash. */
  endpoint: string
  adminEndpoint: string
  accessKey: string
  secretKey: Secret
  region: string
  /** PEM; null for the system CAs. */
  ca: string | null
}

/** Throws an `EngineChoiceError` if the CA file cannot be read. */
export function readRgwSettings({ caFile, secretKey, ...choice }: RgwChoice): RgwSettings {
  let ca: string | null = null
  try {
    if (caFile !== null) ca = readFileSync(caFile, 'utf8')
  } catch {
    throw new EngineChoiceError([`MAINSTAY_RGW_CA cannot be read: ${caFile}`])
  }
  if (ca !== null && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new EngineChoiceError([`MAINSTAY_RGW_CA must be certificates as PEM, which ${caFile} is not`])
  return { ...choice, secretKey: new Secret(secretKey), ca }
}
