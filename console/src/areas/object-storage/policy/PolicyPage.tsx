import { useId, useMemo, useState } from 'react'
import * as z from 'zod'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { asProblem, CallProblem, cancelled } from '../../../api/problem'
import { isDryRun } from '../../../api/dry-run'
import { useView } from '../../../api/use-view'
import { useT, type Translate } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { FormBody } from '../../../patterns/form/FormBody'
import { TextArea } from '../../../patterns/form/form-fields'
import { useForm } from '../../../patterns/form/use-form'
import { Button } from '../../../ui/Button'
import { DeleteIcon } from '../../../ui/icons'
import type { HeldDocument } from '../client/held'
import { deletePolicy, holdPolicy, putPolicy, validatePolicy } from '../client/policy'
import { serverMessage } from '../client/problem'
import { s3Query } from '../keys'
import { bucketOfPart, s3Paths } from '../paths'
import { S3Page } from '../S3Page'
import { refreshS3, useS3 } from '../use-s3'
import { policyFault } from './check'
import css from './policy.module.css'
import { PolicyCheck } from './PolicyCheck'
import { indented } from './PolicyView'
import { StatementCards } from './StatementCards'
import { publicAccess } from './summary'

type T = Translate<'objectStorage'>

function faultText(text: string, t: T): string | undefined {
  const fault = policyFault(text)
  if (!fault) return undefined
  switch (fault.reason) {
    case 'empty':
      return t('policy.faultEmpty')
    case 'tooLong':
      return t('policy.faultTooLong', { most: fault.most / 1024 })
    case 'noObject':
      return t('policy.faultNoObject')
    case 'syntax':
      return t('policy.faultLine', { line: fault.line, message: fault.message })
  }
}

/** Asks for confirmation before a bucket becomes public. */
const askPublic = (json: string, bucket: string, t: T) =>
  confirm({
    title: t('policy.publicTitle', { bucket }),
    text: t(publicAccess(json).isWritable ? 'policy.publicWriteText' : 'policy.publicReadText'),
    verb: t('policy.publicVerb'),
    isDanger: true,
  })

/** Shows policy errors from the server on the editor field. */
async function atField<Answer>(run: () => Promise<Answer>, t: T): Promise<Answer> {
  try {
    return await run()
  } catch (thrown) {
    const problem = asProblem(thrown)
    const { kind, status, code, requestId } = problem
    const isAboutPolicy = status === 400 && code !== 'console'
    const said = problem.data['said'] === '' ? t('policy.refused', { code }) : serverMessage(problem)
    throw isAboutPolicy
      ? new CallProblem({ kind, status, code, message: said, requestId, fields: { json: [said] } })
      : thrown
  }
}

/** `buckets/{bucketName}/bucket-policy/manage`: edits a bucket's policy. */
export default function PolicyPage() {
  const t = useT('objectStorage')
  const bucket = bucketOfPart(useParam('bucketName'))
  const service = useView(s3Service.view, {})
  const view = useS3(s3Query.bucket(bucket, 'policy'), (signal) => holdPolicy(bucket, signal))
  return (
    <S3Page title={t('policy.manage')} above={<Link to={s3Paths.bucket(bucket, 'bucket-policy')}>{bucket}</Link>}>
      <ViewContent view={service}>
        {({ capabilities: { policy_validation: canLook } }) => (
          <ViewContent view={view}>
            {(held) => <Editor bucket={bucket} document={held} canLook={canLook} />}
          </ViewContent>
        )}
      </ViewContent>
    </S3Page>
  )
}

interface EditorProps {
  bucket: string
  document: HeldDocument
  canLook: boolean
}

function Editor({ bucket, document, canLook }: EditorProps) {
  // keep the document that the editor was opened with, so that a save detects concurrent changes
  const [held] = useState(document)
  const { text: json } = held
  const t = useT('objectStorage')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useId()
  const back = s3Paths.bucket(bucket, 'bucket-policy')
  const schema = useMemo(
    () =>
      z.object({
        json: z.string().superRefine((text, context) => {
          const message = faultText(text, t)
          if (message !== undefined) context.addIssue({ code: 'custom', message })
        }),
      }),
    [t],
  )
  const renew = () => void refreshS3(s3Query.bucket(bucket, 'policy'))
  const state = useForm({
    schema,
    start: { json: json === null ? '' : indented(json) },
    async send({ json: text }: { json: string }) {
      // a policy is saved by S3, not by an API call that could be shown
      if (isDryRun()) return
      if (canLook) await atField(() => validatePolicy(bucket, text), t)
      const { isReadable, isWritable, isConditional } = publicAccess(text)
      const isPublic = (isReadable || isWritable) && !isConditional
      if (isPublic && !(await askPublic(text, bucket, t))) throw cancelled()
      await atField(() => putPolicy(bucket, text, held), t)
    },
    done() {
      toast(t('policy.saved', { bucket }))
      renew()
      go(back, { replace: true })
    },
  })
  const remove = async () => {
    const isSure = await confirm({
      ...{ title: t('policy.deleteTitle', { bucket }), text: t('policy.deleteText'), verb: t('policy.delete') },
      isDanger: true,
      run: () => deletePolicy(bucket, held),
    })
    if (!isSure) return
    toast(t('policy.deleted', { bucket }))
    renew()
    go(back, { replace: true })
  }
  return (
    <div className={css.parts}>
      <FormBody state={state} id={id} code="none" isWide>
        <div className={css.sides}>
          <StatementCards bucket={bucket} />
          <div className={css.json}>
            <TextArea
              name="json"
              label={t('policy.json')}
              help={t('policy.jsonHelp')}
              isMono
              rows={16}
              className={css.editor}
            />
            <PolicyCheck bucket={bucket} canLook={canLook} />
          </div>
        </div>
      </FormBody>
      <div className={css.buttons}>
        {json !== null && (
          <Button icon={DeleteIcon} isDisabled={state.isBusy} onPress={() => void remove()}>
            {t('policy.delete')}
          </Button>
        )}
        <span className={css.gap} />
        <Button isDisabled={state.isBusy} onPress={() => go(back)}>
          {patterns('cancel')}
        </Button>
        <Button variant="primary" type="submit" form={id} isBusy={state.isBusy}>
          {t('policy.save')}
        </Button>
      </div>
    </div>
  )
}
