import { ShortId } from '../../ui/values/Mono'
import css from './OwnerName.module.css'
import { useOwner } from './owner-names'

/** The name of a project, with that of its domain, or of a domain. Its id until it is known, and where it is nobody's. */
export default function OwnerName({ of, id }: { of: 'project' | 'domain'; id: string }) {
  const owner = useOwner(of, id)
  const domain = useOwner('domain', owner?.domain_id)
  if (!owner) return <ShortId id={id} />
  return (
    <span className={css.owner} title={domain ? `${owner.name} · ${domain.name}` : owner.name}>
      <bdi>{owner.name}</bdi>
      {domain && <bdi className={css.domain}>{domain.name}</bdi>}
    </span>
  )
}
