import type { Instance } from '@mainstay/contract/compute/instances'
import { Mono } from '../../../ui/values/Mono'
import css from './InstanceAddresses.module.css'

export const addressesOf = ({ network_data }: Pick<Instance, 'network_data'>): string[] =>
  network_data.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address))

/** SSH command with the image's username and the first address. Undefined if either is unknown. */
export function sshOf(instance: Pick<Instance, 'network_data' | 'username'>): string | undefined {
  const [address] = addressesOf(instance)
  return instance.username === null || address === undefined ? undefined : `ssh ${instance.username}@${address}`
}

/** The first address and the number of other addresses. The tooltip lists them all. */
export function InstanceAddresses({ instance }: { instance: Pick<Instance, 'network_data'> }) {
  const [first, ...more] = addressesOf(instance)
  if (first === undefined) return <>–</>
  return (
    <span className={css.addresses} title={[first, ...more].join('\n')}>
      <Mono>{first}</Mono>
      {more.length > 0 && (
        <bdi dir="ltr" className={css.more}>
          +{more.length}
        </bdi>
      )}
    </span>
  )
}
