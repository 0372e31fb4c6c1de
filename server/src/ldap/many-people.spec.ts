import { ldapDefaults } from '@mainstay/contract/settings/ldap'
import { Secret } from '@mainstay/engines/ports/secret'
import { expect, it } from 'vitest'
import { BASE, group, person, personDn, READER, READER_PASSWORD, startSlapd } from '../testing/outside/slapd'
import { found, result, startScriptedDirectory } from '../testing/outside/scripted-directory'
import { readDirectory } from './read-directory'
import { noDirectory, type Directory } from './settings'

const patience = { withinMs: 600_000, quietMs: 120_000 }
const directoryAt = (port: number): Directory => ({
  ...{ ...noDirectory, ...ldapDefaults.ldap, enabled: true, host: '127.0.0.1', port, connection_security: 'none' },
  ...{ bind_dn: READER, search_base_dn: BASE },
})

it('reads 10 000 users in pages, with their groups', { tags: 'all', timeout: 300_000 }, async () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `person${at}`)
  const slapd = await startSlapd([
    ...names.map((uid) => person(uid)),
    ...Array.from({ length: 20 }, (_, at) => group(`group${at}`, names.slice(at * 500, at * 500 + 500).map(personDn))),
  ])
  try {
    const { people, groups, faults } = await readDirectory(directoryAt(slapd.port), new Secret(READER_PASSWORD), {
      patience,
    })
    expect(people).toHaveLength(10_000)
    expect(groups.map(({ members }) => members.length)).toEqual(Array.from({ length: 20 }, () => 500))
    expect(faults).toEqual([])
    // only a few fields of each entry are kept
    expect(JSON.stringify({ people, groups }).length).toBeLessThan(10_000 * 400)
  } finally {
    await slapd.close()
  }
})

it('aborts an endless response before it exhausts memory', { tags: 'all', timeout: 300_000 }, async () => {
  let sent = 0
  const scripted = await startScriptedDirectory((asked, socket) => {
    if (asked.what !== 'search') return [result(asked)]
    // sends up to ten times the import limit while the client keeps reading
    const more = () => {
      for (let at = 0; at < 500; at += 1) {
        sent += 1
        socket.write(
          found(asked, `uid=${sent}`, { uid: `p${sent}`, entryUUID: `id${sent}`, description: 'x'.repeat(200) }),
        )
      }
      if (sent < 500_000 && !socket.destroyed) setImmediate(more)
    }
    more()
    return []
  })
  try {
    const reading = readDirectory(directoryAt(scripted.port), new Secret(READER_PASSWORD), { patience })
    await expect(reading).rejects.toMatchObject({ code: 'ldap_refused', message: expect.stringContaining('50000') })
  } finally {
    await scripted.close()
  }
})
