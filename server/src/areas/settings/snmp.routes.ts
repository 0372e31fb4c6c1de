import { Readable } from 'node:stream'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { receiverOf, snmp, type Snmp, type SnmpChange } from '@mainstay/contract/settings/snmp'
import { Secret } from '@mainstay/engines/ports/secret'
import { createRates, takeOne } from '../../http/overload/rates'
import { serve } from '../../http/serve'
import { limits } from '../../limits'
import type { Change, StoredSetting } from '../../settings/settings'
import { mib } from '../../snmp/mib'
import { communitiesIn, snmpSetting, type SnmpSettings } from '../../snmp/trap-sender'

/** Rate-limited because each test sends data to a host chosen by the caller. */
const tests = createRates(limits.testTraps)

/** Converts the stored settings to the form shown to users, without communities. */
function shown(kept: StoredSetting<SnmpSettings> | null): Snmp {
  const { enabled, traps } = kept?.value ?? { enabled: false, traps: [] }
  const communities = communitiesIn(kept)
  return { enabled, traps: traps.map((trap) => ({ ...trap, has_community: receiverOf(trap) in communities })) }
}

/**
 * Returns the new settings. A stored community is kept only for the address and port that it was saved for. Throws a
 * `validation` error on the field if the community has to be entered.
 */
function changed(kept: StoredSetting<SnmpSettings> | null, { enabled, traps }: SnmpChange): Change<SnmpSettings> {
  const communities = traps.map((trap, at) => communityFor(kept, trap, `traps.${at}.community`))
  const byReceiver = Object.fromEntries(traps.map((trap, at) => [receiverOf(trap), communities[at]!]))
  return {
    value: { enabled, traps: traps.map(({ community: _, ...trap }) => trap) },
    secret: traps.length === 0 ? null : new Secret(JSON.stringify(byReceiver)),
  }
}

/**
 * Returns the community of a receiver: the given one, or the stored one. A community that cannot be decrypted has to be
 * entered again.
 */
function communityFor(
  kept: StoredSetting<SnmpSettings> | null,
  trap: { ip: string; port: number; community?: string | undefined },
  field: string,
): string {
  const before = communitiesIn(kept)
  const community = trap.community ?? before[receiverOf(trap)]
  if (community !== undefined) return community
  const isFirst = Object.keys(before).length === 0 && !kept?.isSealedElsewhere
  throw fieldProblem(field, isFirst ? 'settings.enter_community' : 'settings.community_again')
}

export const snmpRoutes = serve(
  snmp,
  {
    view: async (_, { settings }) => shown(await settings.read(snmpSetting)),
    save: async ({ body }, { settings }) => shown(await settings.change(snmpSetting, (kept) => changed(kept, body))),
    async test({ body, caller }, { settings, traps }) {
      takeOne(tests, caller.user.id, 'trap')
      const community = communityFor(await settings.read(snmpSetting), body, 'community')
      return { bytes: await traps.test(body, community) }
    },
    mib: () => ({
      ...{ bytes: Readable.from([mib], { objectMode: false }), sizeBytes: Buffer.byteLength(mib) },
      ...{ fileName: 'MAINSTAY-MIB.txt', contentType: 'text/plain; charset=utf-8' },
    }),
  },
  { about: 'snmp' },
)
