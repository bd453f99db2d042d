// More than 250 lines: one declaration.
import { z } from 'zod'
import { fileUrl } from '../../base/fileUrl.ts'
import { uuidOf } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything } from '../../engine/declare/expressions.ts'
import { imageField, reference } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { freeSlug, reservedSlugs, takeSlug } from '../../engine/declare/slugs.ts'
import { defineAction, defineRead } from '../../engine/declare/typedOperations.ts'
import { htmlColumn } from '../markupRenderer.ts'
import { priceField } from '../orders/priceField.ts'
import { downloadFile } from './downloadFile.ts'
import { duplicateProduct } from './duplicateProduct.ts'
import { revokeGrant } from './grantRows.ts'
import { productArea } from './productArea.ts'
import {
  changedFile,
  downloadResponse,
  fileIdOf,
  fileOrder,
  fileParameter,
  newFile,
  productCopy,
  productSchema,
  productWritable,
} from './productFields.ts'
import { addFile, changeFile, orderFiles, removeFile } from './productFiles.ts'
import { productGrants } from './productGrants.ts'
import {
  filesOf,
  hasTag,
  isInPlan,
  isKnownProduct,
  isOwned,
  isOwnedAs,
  isPublished,
  ownedBy,
  previewOf,
  type StoredPreview,
  type StoredProductFile,
} from './productVisibility.ts'
import { beforeDeletion, checkProduct, productDefaults, publishProduct, unpublishProduct } from './productWriting.ts'

export const digitalProducts = defineResource({
  name: 'digital_products',
  object: 'digital_product',
  idPrefix: 'dgp',
  table: 'digital_product',
  feature: 'digital_products',
  about: 'A set of files that people can own: bought, granted, free, or included in a membership plan.',
  undo: true,
  scopes: productArea,
  catalogue: {
    row: ['title', 'slug', 'subtitle', 'kind', 'category', 'access', 'price'],
    filters: ['kind', 'category', 'tag', 'access'],
  },
  schema: productSchema,
  derived: {
    cover_image: imageField('digital_product', 'cover_image'),
    price: priceField('price'),
    compare_at_price: priceField('compare_at'),
    files: {
      select: filesOf,
      of: (files: readonly StoredProductFile[] | null, { school, externalServices }) =>
        (files ?? []).map((file) => {
          const { url, expires_at } = externalServices.files.downloadAddress(school, { ...file, id: file.file_id })
          return { ...file, byte_size: Number(file.byte_size), download_url: url, expires_at }
        }),
    },
    preview_file: {
      select: previewOf,
      of: (file: StoredPreview | null, { school }) =>
        file && { ...file, byte_size: Number(file.byte_size), url: fileUrl(school, { id: file.file_id, filename: file.filename }) },
      write: (file) => ({ preview_file_id: file ? uuidOf('fil', file.file_id) : null }),
    },
    owned: { select: ownedBy },
  },
  writable: productWritable,
  required: ['title', 'kind'],
  slugFrom: 'title',
  filters: [
    'status',
    'kind',
    'access',
    'category',
    { name: 'tag', description: 'a tag of the product', value: z.string().min(1).max(40).meta({ example: 'template' }), where: hasTag },
    {
      name: 'owned',
      description: 'products that the caller owns (true), or all others (false)',
      value: z.enum(['true', 'false']),
      where: isOwnedAs,
    },
    {
      name: 'plan_id',
      description: 'the id of a membership plan that includes the product',
      value: reference('mpl', 'Id of a plan.'),
      where: isInPlan,
    },
    'created_at',
    'updated_at',
    'slug[prefix]',
    'external_id',
  ],
  search: ['title', 'subtitle', 'slug'],
  sorts: ['position', '-created_at', 'title', 'updated_at'],
  exports: true,
  visibility: { anonymous: isPublished, learner: isKnownProduct, lecturer: isKnownProduct, staff: everything },
  views: { own: isOwned },
  operations: {
    list: 'read',
    get: 'read',
    create: { scope: 'write', errors: ['reserved_slug'], check: checkProduct, defaults: productDefaults },
    update: {
      scope: 'write',
      errors: ['reserved_slug'],
      check: checkProduct,
      before: async ({ externalServices }, _product, values) => htmlColumn(externalServices.markup, 'description', values),
    },
    remove: { scope: 'write', from: ['draft'], before: beforeDeletion },
  },
  reads: {
    'files/{file}/download': defineRead('digital_product', {
      scope: 'read',
      errors: ['download_limit_reached'],
      id: 'downloadProductFile',
      byId: true,
      anonymous: 'partial',
      summary: 'Get the download URL of a file that you own or that is free',
      parameters: fileParameter,
      input: z.object({}),
      output: downloadResponse,
      async run({ store, school, caller, externalServices, parameters }, product) {
        if (!store) throw new Error('downloads need a database, because they are counted')
        const file = await downloadFile(store, {
          school,
          caller,
          product: { ...product, owned: product.owned === true },
          fileId: fileIdOf(parameters),
        })
        return externalServices.files.downloadAddress(school, file)
      },
    }),
  },
  actions: {
    publish: {
      scope: 'write',
      errors: ['not_publishable'],
      summary: 'Publish a product',
      follows: 'addProductFile',
      from: ['draft', 'archived'],
      to: 'published',
      run: publishProduct,
    },
    unpublish: {
      scope: 'write',
      summary: 'Return a published product to draft',
      from: ['published'],
      to: 'draft',
      run: unpublishProduct,
    },
    archive: {
      scope: 'write',
      summary: 'Archive a product; its owners keep it',
      from: ['published'],
      to: 'archived',
      run: async ({ now }) => ({ archived_at: now }),
    },
    restore: {
      scope: 'write',
      summary: 'Publish an archived product again',
      from: ['archived'],
      to: 'published',
      run: publishProduct,
    },
    duplicate: defineAction('digital_product', {
      scope: 'write',
      errors: ['slug_taken', 'reserved_slug'],
      summary: 'Copy a product as a draft',
      status: 201,
      input: productCopy,
      async perform(writing, product, input): Promise<{ made: string }> {
        if (reservedSlugs.has(String(input.slug))) throw new Problem('reserved_slug')
        if (input.slug !== undefined) await takeSlug(writing.writer, digitalProducts, { schoolId: writing.school.id, slug: input.slug })
        const free = (title: string, id: string): Promise<string> =>
          freeSlug(writing.writer, digitalProducts, { schoolId: writing.school.id, title, id })
        return { made: await duplicateProduct(writing, product, input, free) }
      },
    }),
    files: defineAction('digital_product', {
      scope: 'write',
      id: 'addProductFile',
      summary: 'Add a file to a product',
      status: 201,
      input: newFile,
      async perform(writing, product, input) {
        await addFile(writing, product.id, input)
        return { columns: {} }
      },
    }),
    'files/order': defineAction('digital_product', {
      scope: 'write',
      errors: ['incomplete_order'],
      id: 'orderProductFiles',
      method: 'PUT',
      summary: 'Change the order of the files of a product',
      input: fileOrder,
      run: async (writing, product, { file_ids }) => ((await orderFiles(writing, product.id, file_ids)) ? {} : undefined),
    }),
    changeFile: defineAction('digital_product', {
      scope: 'write',
      id: 'updateProductFile',
      at: 'files/{file}',
      method: 'PATCH',
      summary: 'Change the title of a file of a product, or replace its content',
      parameters: fileParameter,
      input: changedFile,
      run: async (writing, product, input) =>
        (await changeFile(writing, product.id, fileIdOf(writing.parameters), input)) ? {} : undefined,
    }),
    'grants/{grant}/revoke': defineAction('digital_product', {
      scope: 'write',
      id: 'revokeProductGrant',
      summary: 'Revoke a grant of a product',
      parameters: z.object({ grant: reference('dgg', 'Id of a grant of the product.') }),
      answers: (): Resource => productGrants,
      async perform(writing, product) {
        const grantId = uuidOf('dgg', writing.parameters.get('grant'))
        return { isUnchanged: !(await revokeGrant(writing, product.id, grantId)), answered: grantId }
      },
    }),
    removeFile: defineAction('digital_product', {
      scope: 'write',
      errors: ['invalid_state'],
      id: 'removeProductFile',
      at: 'files/{file}',
      method: 'DELETE',
      status: 204,
      summary: 'Remove a file from a product',
      parameters: fileParameter,
      async run(writing, product) {
        await removeFile(writing, product, fileIdOf(writing.parameters))
        return {}
      },
    }),
  },
})
