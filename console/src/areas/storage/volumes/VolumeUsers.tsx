import { read } from '@mainstay/contract/core/endpoint'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { Mono } from '../../../ui/values/Mono'
import { instanceResource } from '../../compute/instances/resource'
import css from './VolumeUsers.module.css'

interface VolumeUsersProps {
  attachments: Volume['attachments']
  tabIndex?: 0 | -1
}

/** The virtual machines that a volume is attached to, with the device names. */
export function VolumeUsers({ attachments, tabIndex = 0 }: VolumeUsersProps) {
  const mayRead = useMay()(read('compute_server'))
  if (attachments.length === 0) return <span className={css.none}>–</span>
  return (
    <span className={css.users}>
      {attachments.map(({ server_id: id, server_name: name, device }) => (
        <span key={id} className={css.user}>
          {mayRead ? (
            <Link to={instanceResource.paths.view(id)} className={css.link} tabIndex={tabIndex}>
              {name}
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
          {device && (
            <span className={css.device}>
              <Mono>{device}</Mono>
            </span>
          )}
        </span>
      ))}
    </span>
  )
}
