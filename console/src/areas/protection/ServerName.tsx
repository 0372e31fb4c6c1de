import { read } from '@mainstay/contract/core/endpoint'
import { useT } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { useMay } from '../../session/may'
import { instanceResource } from '../compute/instances/resource'

/** The virtual machine that a volume is attached to, linked to its details. */
export function ServerName({ id, name }: { id: string | null; name: string | null }) {
  const t = useT('protection')
  const mayRead = useMay()(read('compute_server'))
  if (id === null) return <span>{t('volumes.notAttached')}</span>
  return mayRead ? (
    <Link to={instanceResource.paths.view(id)} dir="auto">
      {name ?? id}
    </Link>
  ) : (
    <bdi>{name ?? id}</bdi>
  )
}
