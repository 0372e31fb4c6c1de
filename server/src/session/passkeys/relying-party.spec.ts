import { expect, it } from 'vitest'
import { relyingPartyOf } from './relying-party'

it('both panels of a host are one relying party with separate origins', () => {
  for (const origin of ['https://cloud.example', 'https://cloud.example:8888', 'http://localhost:8800'])
    expect(relyingPartyOf(origin, origin)).toEqual({ host: new URL(origin).hostname, origin })
  expect(relyingPartyOf('https://cloud.example/portal', 'https://cloud.example:8888/portal')).toEqual({
    host: 'cloud.example',
    origin: 'https://cloud.example:8888',
  })
})

it.each([
  ['an IP address', 'https://10.0.0.5', 'https://10.0.0.5', /IP address.*host name/],
  ['an IPv6 address', 'https://[fd00::5]:8800', 'https://[fd00::5]:8800', /IP address/],
  ['a loopback address', 'http://127.0.0.1:8800', 'http://127.0.0.1:8800', /IP address/],
  ['a name without TLS', 'http://cloud.example', 'http://cloud.example', /HTTPS/],
  [
    'a name other than the configured one',
    'https://cloud.example',
    'https://other.example',
    /work only at cloud.example/,
  ],
  ['a program', null, null, /only in a browser/],
])('refuses passkeys under %s and explains what to do', (_, address, own, said) => {
  expect(() => relyingPartyOf(address, own)).toThrow(said)
})
