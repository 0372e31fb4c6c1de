import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { versionOf } from '@mainstay/contract/networking/addresses'
import { call } from '../../../../api/call'
import { poll } from '../../../../api/poll'
import { asProblem } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { refresh } from '../../../../api/use-call'
import { textsNow } from '../../../../i18n/use-t'
import { notify, toast } from '../../../../notices/notices'

/**
 * How long to wait for an address, in milliseconds: an interface may not get one until after the instance is created.
 */
const longestWaitMs = 120_000
const everyMs = 1_000

/** The first interface with an IPv4 address, used as the target for a floating IP. */
export function targetOf({ network_data }: Pick<Instance, 'network_data'>) {
  for (const { port_id, fixed_ips } of network_data) {
    const address = fixed_ips.find(({ ip_address }) => versionOf(ip_address) === 4)
    if (address) return { port_id, fixed_ip_address: address.ip_address }
  }
  return undefined
}

/** Waits until the new instance has an address. Resolves to undefined if creation fails or the wait times out. */
function awaitTarget(made: Instance): Promise<ReturnType<typeof targetOf>> {
  const now = targetOf(made)
  if (now) return Promise.resolve(now)
  return new Promise((resolve) => {
    const end = Date.now() + longestWaitMs
    const stop = poll(async () => {
      const instance = await call(instances.view, { params: { id: made.id } }).catch(() => undefined)
      const target = instance && targetOf(instance)
      if (!target && instance?.status !== 'ERROR' && Date.now() < end) return
      stop()
      resolve(target)
    }, everyMs)
  })
}

/**
 * Assigns a floating IP to a new instance in a separate call, since the instance exists even if this fails. A
 * notification reports the result.
 *
 *
 * @param choice - `have:ID` or `new:NETWORK`
 */
export async function assignFloatingIp(made: Instance, choice: string): Promise<void> {
  const t = textsNow('instance')
  const { name } = made
  const [way, id = ''] = choice.split(/:(.*)/s)
  const failed = (message: string) =>
    notify({ type: 'error', title: t('instances.add.noFloatingIp', { name }), message })
  try {
    const target = await awaitTarget(made)
    if (!target) return void failed(t('instances.add.noAddressYet'))
    const given: FloatingIp =
      way === 'new'
        ? await call(floatingIps.create, { body: { floating_network_id: id, ...target } })
        : await call(floatingIps.update, { params: { id }, body: target })
    toast(t('instances.add.floatingIpGiven', { address: given.floating_ip_address, name }))
  } catch (thrown) {
    failed(problemText(asProblem(thrown), textsNow('shell')))
  }
  await refresh([floatingIps.list, floatingIps.view])
}
