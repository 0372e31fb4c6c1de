import { use } from 'react'
import { SecurityGroupDraft, securityGroups } from '@mainstay/contract/networking/security-groups'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { IframeContext } from '../../../nav/iframe'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { InProject } from '../../../patterns/InProject'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextArea, TextField } from '../../../patterns/form/form-fields'
import { ServiceBanner } from '../ServiceBanner'
import { securityGroupResource } from './resource'

const { paths } = securityGroupResource

/** `security-groups/add`: creates a security group and then opens its rules. */
export default function SecurityGroupAddForm() {
  return (
    <InProject closeTo={paths.list()}>
      <Form />
    </InProject>
  )
}

function Form() {
  const t = useT('networking')
  const go = useAppNavigate()
  const isFramed = use(IframeContext) !== null
  const create = useCall(securityGroups.create, { refresh: [securityGroups.list] })
  return (
    <FormDialog
      title={t('securityGroups.add')}
      verb={t('securityGroups.add')}
      schema={SecurityGroupDraft}
      start={{ name: '', description: '' }}
      send={(body) => create.run({ body })}
      // in a frame, only the form is shown, so there is no page to open
      done={isFramed ? undefined : ({ id }) => go(paths.view(id), { replace: true })}
      closeTo={paths.list()}
    >
      <ServiceBanner />
      <TextField name="name" label={t('name')} help={t('securityGroups.addHelp')} autoFocus />
      <TextArea name="description" label={t('description')} isOptional rows={2} />
      <ProjectQuota rows={[{ quota: 'security_groups', label: t('quota.securityGroups'), added: 1 }]} />
    </FormDialog>
  )
}
