// Signs with a private RSA key, by the libcrypto that libcurl has loaded.

#include <dlfcn.h>

#include "Library.h"

// Of OpenSSL from 1.1.1 on, and of the libraries that have its functions: https://docs.openssl.org/3.0/man3/.
#define CRYPTO_FUNCTIONS(FUNCTION)                                                                     \
  FUNCTION(void *, BIO_new_mem_buf, (const void *, int))                                               \
  FUNCTION(int, BIO_free, (void *))                                                                    \
  FUNCTION(void *, PEM_read_bio_PrivateKey, (void *, void **, int (*)(char *, int, int, void *), void *)) \
  FUNCTION(void, EVP_PKEY_free, (void *))                                                              \
  FUNCTION(void *, EVP_MD_CTX_new, (void))                                                             \
  FUNCTION(void, EVP_MD_CTX_free, (void *))                                                            \
  FUNCTION(const void *, EVP_sha256, (void))                                                           \
  FUNCTION(int, EVP_DigestSignInit, (void *, void **, const void *, void *, void *))                   \
  FUNCTION(int, EVP_DigestSign, (void *, uint8_t *, size_t *, const uint8_t *, size_t))                \
  FUNCTION(void, ERR_clear_error, (void))

#define CRYPTO_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct {
  CRYPTO_FUNCTIONS(CRYPTO_MEMBER)
  int (*kind_of_key)(const void *);
} crypto;
#undef CRYPTO_MEMBER

// The handle of libcurl leads to the libraries that libcurl needs (dlsym(3)), so none is loaded by a name of ours. A
// libcurl with another TLS library has no such functions.
static bool find_crypto(void *file, crypto *found) {
#define CRYPTO_FIND(result, name, parameters) \
  if (!(*(void **)&found->name = dlsym(file, #name))) return false;
  CRYPTO_FUNCTIONS(CRYPTO_FIND)
#undef CRYPTO_FIND
  // EVP_PKEY_base_id has had the other name since 3.0.
  *(void **)&found->kind_of_key = dlsym(file, "EVP_PKEY_get_base_id");
  if (!found->kind_of_key) *(void **)&found->kind_of_key = dlsym(file, "EVP_PKEY_base_id");
  return found->kind_of_key != NULL;
}

// Without it, an encrypted key would be asked for on the terminal.
static int refuse_passphrase(char *text, int size, int writes, void *context) {
  (void)text, (void)size, (void)writes, (void)context;
  return -1;
}

static ccurl_signing sign(
    const crypto *crypto, void *key, const uint8_t *message, size_t count, uint8_t *signature, size_t *size) {
  // EVP_PKEY_RSA; a key for RSA-PSS has another number, and can't sign by PKCS #1 v1.5.
  if (crypto->kind_of_key(key) != 6) return ccurl_signing_not_rsa;
  void *context = crypto->EVP_MD_CTX_new();
  if (!context) return ccurl_signing_failed;
  size_t room = *size;
  // The first call only tells the size of the signature.
  bool is_signed = crypto->EVP_DigestSignInit(context, NULL, crypto->EVP_sha256(), NULL, key) == 1 &&
                   crypto->EVP_DigestSign(context, NULL, size, message, count) == 1 && *size <= room &&
                   crypto->EVP_DigestSign(context, signature, size, message, count) == 1 && *size <= room;
  crypto->EVP_MD_CTX_free(context);
  return is_signed ? ccurl_signing_done : ccurl_signing_failed;
}

ccurl_signing ccurl_sign(
    const ccurl_library *library, const char *pem, size_t pem_count, const uint8_t *message, size_t count,
    uint8_t *signature, size_t *size) {
  crypto crypto;
  // A key is small; the limit keeps the conversion to int right.
  if (pem_count > 1 << 20) return ccurl_signing_no_key;
  ccurl_enter();
  ccurl_signing outcome = ccurl_signing_no_library;
  if (find_crypto(library->file, &crypto)) {
    void *bytes = crypto.BIO_new_mem_buf(pem, (int)pem_count);
    void *key = bytes ? crypto.PEM_read_bio_PrivateKey(bytes, NULL, refuse_passphrase, NULL) : NULL;
    outcome = key ? sign(&crypto, key, message, count, signature, size) : ccurl_signing_no_key;
    if (key) crypto.EVP_PKEY_free(key);
    if (bytes) crypto.BIO_free(bytes);
    // libcurl would take an error that is left in the thread's queue for one of its own.
    crypto.ERR_clear_error();
  }
  ccurl_leave();
  return outcome;
}
