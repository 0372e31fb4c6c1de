import { generateKeyPairSync, sign } from 'node:crypto'

/*
 * A self-signed certificate for a loopback server: the minimum that RFC 5280 requires, encoded as DER.
 */

const length = (size: number) => (size < 128 ? [size] : [0x82, size >> 8, size & 255])
const der = (tag: number, ...parts: (Buffer | number[])[]) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const objectId = {
  ecdsaWithSha256: der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]),
  commonName: der(0x06, [0x55, 0x04, 0x03]),
  subjectAltName: der(0x06, [0x55, 0x1d, 0x11]),
  basicConstraints: der(0x06, [0x55, 0x1d, 0x13]),
}
const time = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))

/** Returns the key and certificate for 127.0.0.1 as PEM, valid for one day. */
export function loopbackCertificate(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(objectId.ecdsaWithSha256)
  const name = sequence(der(0x31, sequence(objectId.commonName, der(0x0c, Buffer.from('loopback')))))
  const dayMs = 86_400_000
  const address = sequence(objectId.subjectAltName, der(0x04, sequence(der(0x87, [127, 0, 0, 1]))))
  const authority = sequence(objectId.basicConstraints, der(0x04, sequence(der(0x01, [0xff]))))
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    name,
    sequence(time(new Date(Date.now() - dayMs)), time(new Date(Date.now() + dayMs))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(address, authority)),
  )
  const signature = sign('sha256', body, privateKey)
  const whole = sequence(body, algorithm, der(0x03, [0], signature)).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}
