import type { Instance } from '@mainstay/contract/compute/instances'
import { Mono } from '../../../ui/values/Mono'
import css from './InstanceAddresses.module.css'

export const addressesOf = ({ network_data }: Pick<Instance, 'network_data'>): string[] =>
  network_data.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address))

/** How one signs in over the network: by the user of its image, at its first address. */
export function sshOf(instance: Pick<Instance, 'network_data' | 'username'>): string | undefined {
  const [address] = addressesOf(instance)
  return instance.username === null || address === undefined ? undefined : `ssh ${instance.username}@${address}`
}

/** The first address; how many more there are, and all of them on hover. */
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
