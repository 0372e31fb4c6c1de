import { useState } from 'react'
import { SshKeyDraft, SshKeyGenerate, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { RadioCards, TextField } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { PrivateKeyDialog } from './PrivateKeyDialog'
import { PublicKeyField } from './PublicKeyField'
import { InProject } from '../../../patterns/InProject'
import { sshKeyResource } from './resource'

// Both ways of adding a key have a name. Each schema strips the fields of the other way.
const SshKeyForm = z.discriminatedUnion('way', [
  z.object({ way: z.literal('import'), ...SshKeyDraft.shape }),
  z.object({ way: z.literal('generate'), ...SshKeyGenerate.shape }),
])

const empty = { way: 'import', name: '', description: '', public_key: '', type: 'ed25519' } as const

type Generated = SshKey & { private_key: string }

export default function SshKeyAddForm() {
  return (
    <InProject closeTo={sshKeyResource.paths.list()}>
      <Form />
    </InProject>
  )
}

function Form() {
  const t = useT('compute')
  const go = useAppNavigate()
  const added = ({ name }: SshKey) => toast(t('sshKeys.added', { name }))
  const create = useCall(sshKeys.create, { refresh: [sshKeys.list], done: added })
  const generate = useCall(sshKeys.generate, { refresh: [sshKeys.list], done: added })
  const [generated, setGenerated] = useState<Generated>()
  const close = () => go(sshKeyResource.paths.list(), { keepsSearch: true, replace: true })

  async function send({ way, ...body }: z.output<typeof SshKeyForm>) {
    if (way === 'generate') return generate.run({ body })
    await create.run({ body: body as z.output<typeof SshKeyDraft> })
    return null
  }

  if (generated) return <PrivateKeyDialog sshKey={generated} onClose={close} />
  return (
    <FormDialog
      title={t('sshKeys.add')}
      verb={t('sshKeys.add')}
      schema={SshKeyForm}
      start={empty}
      send={send}
      done={(pair) => (pair ? setGenerated(pair) : close())}
      closeTo={sshKeyResource.paths.list()}
    >
      <Fields />
    </FormDialog>
  )
}

function Fields() {
  const t = useT('compute')
  const way = useWatched<'import' | 'generate'>('way')
  return (
    <>
      <RadioCards
        name="way"
        label={t('sshKeys.way')}
        isGrid
        items={[
          { id: 'import', label: t('sshKeys.import'), description: t('sshKeys.importHelp') },
          { id: 'generate', label: t('sshKeys.generate'), description: t('sshKeys.generateHelp') },
        ]}
      />
      <TextField name="name" label={t('sshKeys.name')} autoFocus />
      {way === 'import' ? (
        <PublicKeyField />
      ) : (
        <RadioCards
          name="type"
          label={t('sshKeys.type')}
          items={[
            { id: 'ed25519', label: 'Ed25519', description: t('sshKeys.ed25519Help') },
            { id: 'ecdsa', label: 'ECDSA', description: t('sshKeys.ecdsaHelp') },
            { id: 'ssh-rsa', label: 'RSA', description: t('sshKeys.rsaHelp') },
          ]}
        />
      )}
      <TextField name="description" label={t('sshKeys.description')} isOptional />
    </>
  )
}
