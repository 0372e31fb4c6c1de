import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { domains, type Domain, type DomainChange } from '@mainstay/contract/identity/domains'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { fields } from '../../../patterns/resource/fields'
import { screens } from '../../../patterns/resource/screens'
import { columns } from '../../../patterns/table/columns'
import { Amount } from '../../../ui/values/Bytes'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { projectResource } from '../projects/resource'
import { useEnabling } from '../use-enabling'
import { userResource } from '../users/resource'
import { domainResource } from './resource'
import { THEME } from '@mainstay/contract/identity/themes'
import { ThemePart } from '../../../patterns/theme/ThemePart'
import { DomainObjectStorage } from './DomainObjectStorage'
import { DomainProperties } from './DomainProperties'
import { DomainQuotas } from './DomainQuotas'
import { DomainSignIn } from './DomainSignIn'
import { loginLinks } from '@mainstay/contract/identity/login-link'
import { useView } from '../../../api/use-view'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { CopyButton } from '../../../ui/values/CopyButton'
import { Mono } from '../../../ui/values/Mono'
import css from './domain-screens.module.css'

/** The sign-in URLs for a domain, which administrators can send to its users. */
function LoginLinks({ domainId }: { domainId: string }) {
  const { data, problem } = useView(loginLinks.list, { id: domainId })
  if (problem) return null
  if (!data) return <Skeleton width="240px" />
  return (
    <ul className={css.links}>
      {data.data.map(({ link, address }) => (
        <li key={link}>
          <Mono>{link}</Mono>
          <CopyButton value={address} />
        </li>
      ))}
    </ul>
  )
}

/** Sections below the properties on a domain's details page. */
const DomainBelow = ({ item }: { item: Domain }) => (
  <>
    <DomainQuotas item={item} />
    <DomainSignIn item={item} />
    <DomainObjectStorage domainId={item.id} />
    <ThemePart domainId={item.id} themeKey={THEME} heading="h3" />
    <DomainProperties item={item} />
  </>
)

const column = columns<Domain>('identity')
const field = fields<DomainChange>('identity')
const isDefault = ({ id }: Domain) => id === DEFAULT_DOMAIN_ID

export default screens(domainResource, {
  columns: [
    column.link('name', 'domains.name', domainResource.paths.view),
    column.status('enabled', 'domains.status', ({ enabled }, t) =>
      enabled ? { tone: 'ok', text: t('domains.enabled') } : { tone: 'idle', text: t('domains.disabled') },
    ),
    column.number('projects_count', 'domains.projects', undefined, { width: 110 }),
    column.number('users_count', 'domains.users', undefined, { width: 110 }),
    column.text('description', 'domains.description', { sortKey: '', width: 280 }),
    column.created('created_at'),
    column.ownId(),
  ],
  filters: (t) => [
    'name',
    {
      name: 'enabled',
      options: [
        { value: 'true', label: t('domains.enabled') },
        { value: 'false', label: t('domains.disabled') },
      ],
    },
  ],
  useActions() {
    const t = useT('identity')
    const save = useCall(domains.update, { refresh: [domains.list] })
    const enable = ({ id }: Domain, enabled: boolean, signal?: AbortSignal) =>
      save.run({ params: { id }, body: { enabled } }, signal && { signal })
    const barred = (domain: Domain) => (isDefault(domain) ? t('domains.isDefault') : undefined)
    return useEnabling('domains', domains.update.needs, enable, barred).action
  },
  deleteNote: 'domains.deleteNote',
  deleteBarred: (domain, t) => {
    if (isDefault(domain)) return t('domains.isDefault')
    if (domain.projects_count > 0) return t('domains.hasProjects', { count: domain.projects_count })
    return domain.users_count > 0 ? t('domains.hasUsers', { count: domain.users_count }) : undefined
  },
  facts: ({ id, enabled, description, projects_count, users_count }, t) => [
    [
      t('domains.status'),
      <StatusBadge key="status" tone={enabled ? 'ok' : 'idle'}>
        {t(enabled ? 'domains.enabled' : 'domains.disabled')}
      </StatusBadge>,
    ],
    [t('domains.description'), description],
    [t('domains.loginLink'), <LoginLinks key="link" domainId={id} />],
    [
      t('domains.projects'),
      <Link key="projects" to={projectResource.paths.list()} search={{ domain_id: `in:${id}` }}>
        <Amount of={projects_count} />
      </Link>,
    ],
    [
      t('domains.users'),
      <Link key="users" to={userResource.paths.list()} search={{ domain_id: `in:${id}` }}>
        <Amount of={users_count} />
      </Link>,
    ],
  ],
  Below: DomainBelow,
  form: {
    // `DomainAddForm` creates a domain together with its administrator
    create: null,
    update: {
      schema: () => import('@mainstay/contract/identity/domains').then((it) => it.DomainChange),
      start: ({ name, description }) => ({ name, description }),
    },
    fields: [
      field.text('name', 'domains.name'),
      field.text('description', 'domains.description', { isOptional: true }),
    ],
  },
})
