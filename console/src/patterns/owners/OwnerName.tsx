import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { ShortId } from '../../ui/values/Mono'
import css from './OwnerName.module.css'
import { useOwner } from './owner-names'

/**
 * The name of a domain, or of a project together with its domain. Falls back to the ID if the owner does not exist, but
 * not while loading.
 */
export default function OwnerName({ of, id }: { of: 'project' | 'domain'; id: string }) {
  const t = useT('patterns')
  const { owner, isLoading } = useOwner(of, id)
  const { owner: domain } = useOwner('domain', owner?.domain_id)
  const scope = useSession(({ meta }) => meta?.scope)
  if (isLoading) return <Skeleton width="8ch" />
  // the operators' project, which owns objects that do not belong to a tenant and is not in any list
  if (!owner && scope?.kind === 'system' && scope.project_id === id) return t('owner.system')
  if (!owner) return <ShortId id={id} />
  return (
    <span className={css.owner} title={domain ? `${owner.name} · ${domain.name}` : owner.name}>
      <bdi>{owner.name}</bdi>
      {domain && <bdi className={css.domain}>{domain.name}</bdi>}
    </span>
  )
}
