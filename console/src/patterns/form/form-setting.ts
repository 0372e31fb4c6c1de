import { createContext, useContext } from 'react'

export interface FormSetting {
  /** Being sent: fields hold still. */
  isBusy: boolean
}

export const FormSettingContext = createContext<FormSetting>({ isBusy: false })

export const useFormSetting = () => useContext(FormSettingContext)
