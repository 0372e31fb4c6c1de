import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { projectKind, projects, type Project } from '@mainstay/contract/identity/projects'
import { users, type User } from '@mainstay/contract/identity/users'
import { lazy, Suspense, useState } from 'react'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { AddLink } from '../../../patterns/AddLink'
import type { ProjectField } from '../../../patterns/permissions/PermissionPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { userResource } from './resource'

const PermissionPanel = lazy(() => import('../../../patterns/permissions/PermissionPanel'))

/** Explains why a user may or may not do something. */
export function UserPermissions({ user: { id, domain_id } }: { user: User }) {
  const t = useT('identity')
  return (
    <Suspense fallback={<Skeleton width="60%" />}>
      <PermissionPanel
        key={id}
        userId={id}
        projectField={(bound) => <ProjectOfDomain {...bound} domainId={domain_id} />}
        remedy={
          <div>
            <AddLink to={userResource.paths.below(id, 'assign')} needs={users.update.needs} isQuiet>
              {t('users.assign')}
            </AddLink>
          </div>
        }
      />
    </Suspense>
  )
}

function ProjectOfDomain({ value, onChange, domainId }: ProjectField & { domainId: string }) {
  const t = useT('permissions')
  const [chosen, setChosen] = useState<Project>()
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.name)
  const { rows, isLoading, isChanging } = useList(projects.list, projectKind, {
    params: { domain_id: domainId },
    ...(search && { only: { search } }),
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
  })
  const offered = chosen && !rows.some(({ id }) => id === chosen.id) ? [chosen, ...rows] : rows
  return (
    <ComboBox
      label={t('project')}
      placeholder={t('project.none')}
      items={offered.map(({ id, name }) => ({ id, label: name }))}
      value={value}
      onChange={(id) => {
        setChosen(offered.find((project) => project.id === id))
        onChange(id)
      }}
      onSearch={onSearch}
      isLoading={isAwaited || isLoading || isChanging}
    />
  )
}
