import { expect, it } from 'vitest'
import { relyingPartyOf } from './relying-party'

it('both panels of a host are one party, each page of its own origin', () => {
  for (const origin of ['https://cloud.example', 'https://cloud.example:8888', 'http://localhost:8800'])
    expect(relyingPartyOf(origin, origin)).toEqual({ host: new URL(origin).hostname, origin })
  expect(relyingPartyOf('https://cloud.example/portal', 'https://cloud.example:8888/portal')).toEqual({
    host: 'cloud.example',
    origin: 'https://cloud.example:8888',
  })
})

it.each([
  ['an IP address', 'https://10.0.0.5', 'https://10.0.0.5', /IP address.*a name/],
  ['an address of IPv6', 'https://[fd00::5]:8800', 'https://[fd00::5]:8800', /IP address/],
  ['the address of the machine itself', 'http://127.0.0.1:8800', 'http://127.0.0.1:8800', /IP address/],
  ['a name without encryption', 'http://cloud.example', 'http://cloud.example', /HTTPS/],
  [
    'another name than that of the settings',
    'https://cloud.example',
    'https://other.example',
    /belong to cloud.example/,
  ],
  ['a program', null, null, /page of the console/],
])('under %s there are no passkeys, and the refusal says what to do', (_, address, own, said) => {
  expect(() => relyingPartyOf(address, own)).toThrow(said)
})
