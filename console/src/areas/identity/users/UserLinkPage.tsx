import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import { PASSWORD_LINK_HOURS, passwordLinks } from '@mainstay/contract/identity/password-links'
import { userKind, users } from '@mainstay/contract/identity/users'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { useState } from 'react'
import { Button } from '../../../ui/Button'
import { Checkbox } from '../../../ui/fields/Checkbox'
import { Banner } from '../../../ui/feedback/Banner'
import { Dialog } from '../../../ui/overlays/Dialog'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { userResource } from './resource'

const days = PASSWORD_LINK_HOURS / 24

/** `/users/{id}/link`: creates a link that lets a user choose a password. */
export default function UserLinkPage() {
  const t = useT('identity')
  const shell = useT('shell')
  const patterns = useT('patterns')
  const id = useParam('id')
  const go = useAppNavigate()
  const { data: user } = useView(users.view, { id }, { kind: userKind })
  const [isMailed, setMailed] = useState(true)
  const [made, setMade] = useState<ReplyOf<typeof passwordLinks.create>>()
  const make = useCall(passwordLinks.create, { done: setMade })
  // `url` is null if the server does not know the URL of the self-service panel, for example behind some proxies
  const link = made && (made.url ?? `${location.origin}${paths.passwordLink(made.token)}`)
  if (!user) return null
  const close = () => go(userResource.paths.view(id), { keepsSearch: true })
  const { name, email } = user
  const asksForMail = email !== null && isMailed
  return (
    <Dialog
      isOpen
      isFirm
      title={t('users.linkTitle', { name })}
      onClose={close}
      footer={
        link === undefined ? (
          <>
            <Button onPress={close}>{patterns('cancel')}</Button>
            <Button
              variant="primary"
              isBusy={make.isPending}
              onPress={() => make.start({ params: { domain_id: user.domain_id, id }, body: { mail: asksForMail } })}
            >
              {t('users.linkMake')}
            </Button>
          </>
        ) : (
          <Button variant="primary" onPress={close}>
            {t('users.linkDone')}
          </Button>
        )
      }
    >
      {make.problem && <Banner tone="bad">{problemText(make.problem, shell)}</Banner>}
      {link === undefined ? (
        <>
          <p>{t('users.linkText', { name, days })}</p>
          {email !== null && (
            <Checkbox isSelected={isMailed} onChange={setMailed}>
              {t('users.linkMail', { email })}
            </Checkbox>
          )}
        </>
      ) : (
        <>
          <p>
            {made?.mailed_to
              ? t('users.linkMadeAndMailed', { name, email: made.mailed_to })
              : t(asksForMail ? 'users.linkMadeNotMailed' : 'users.linkMade', { name })}
          </p>
          <p>
            <CopyableCode>{link}</CopyableCode>
          </p>
        </>
      )}
    </Dialog>
  )
}
