import { use } from 'react'
import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { IframeContext } from '../../../nav/iframe'
import { Link } from '../../../nav/Link'
import { useParam } from '../../../nav/use-param'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { Button } from '../../../ui/Button'
import { securityGroupResource } from './resource'
import { RulesEditor } from './RulesEditor'

const none: ReadonlySet<string> = new Set()

/** `security-groups/{groupId}/rules`: shows only the rules and can be embedded. Each change is saved immediately. */
export default function SecurityGroupRulesPage() {
  const t = useT('networking')
  const end = use(IframeContext)
  const id = useParam('id')
  const view = useView(securityGroups.view, { id }, { kind: securityGroupKind })
  const { data } = view
  const { paths } = securityGroupResource
  return (
    <Page
      title={data ? t('rules.of', { name: data.name }) : t('rules.title')}
      above={!end && <Link to={paths.view(id)}>{data?.name ?? t('securityGroups.one')}</Link>}
      actions={
        end && (
          <Button variant="primary" onPress={() => end('done', id)}>
            {t('done')}
          </Button>
        )
      }
    >
      <ViewContent view={view}>{(group) => <RulesEditor group={group} marked={none} />}</ViewContent>
    </Page>
  )
}
